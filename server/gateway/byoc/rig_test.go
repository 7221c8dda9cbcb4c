package byoc_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	external "github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/gateway/byoc"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/trickle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sighting is a request that an orchestrator got.
type sighting struct {
	line, body string
	header     http.Header
	job        external.Wire
	tickets    int
}

const ticketEV = 100

// orchestrator is one of BYOC with a worker that sends back what it gets. Its fields are set before there are requests.
type orchestrator struct {
	hub  *trickle.Hub
	srv  *httptest.Server
	http *http.Client
	// price is in wei for a second; says is the balance that it names, nil for the true one. capacity is free.
	price, capacity int64
	says            func(balance int64) string
	// token, request and stream answer in place of the usual; they report whether they did.
	token, request, stream func(w http.ResponseWriter, r *http.Request) bool

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	// answered is how many tokens it gave.
	answered atomic.Int32

	mu      sync.Mutex
	balance int64
	sets    byte
	seen    []sighting
}

func newOrchestrator(t testing.TB) *orchestrator {
	t.Helper()
	o := &orchestrator{hub: trickle.NewHub(trickle.Limits{}, time.Now), capacity: 1,
		http: trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)}
	channels := o.hub.Handler("/ai/trickle/")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /process/token", o.serveToken)
	mux.HandleFunc("/process/token/", func(_ http.ResponseWriter, r *http.Request) { o.record(r) })
	mux.HandleFunc("POST /process/request/", o.serveRequest)
	mux.HandleFunc("POST /ai/stream/{what}", o.serveStream)
	mux.Handle("/ai/trickle/", channels)
	o.srv = httptest.NewTLSServer(mux)
	o.ctx, o.cancel = context.WithCancel(context.Background())
	t.Cleanup(o.kill)
	return o
}

// kill ends it and its connections.
func (o *orchestrator) kill() {
	o.cancel()
	for _, s := range o.saw("/ai/stream/start") {
		o.closeChannels(s.job.ID)
	}
	o.wg.Wait()
	o.srv.CloseClientConnections()
	o.srv.Close()
	o.http.CloseIdleConnections()
}

func (o *orchestrator) closeChannels(id string) {
	for _, end := range []string{"", "-out", "-control", "-events", "-data"} {
		o.hub.Close(id + end)
	}
}

func (o *orchestrator) serveToken(w http.ResponseWriter, r *http.Request) {
	o.record(r)
	defer o.answered.Add(1)
	if o.token != nil && o.token(w, r) {
		return
	}
	o.mu.Lock()
	o.sets++
	balance, set := o.balance, o.sets
	o.mu.Unlock()
	out := map[string]any{"price": &rpc.PriceInfo{PricePerUnit: o.price, PixelsPerUnit: 1}, "service_addr": o.srv.URL,
		"available_capacity": o.capacity, "balance": balance}
	if o.says != nil {
		out["balance"] = json.RawMessage(o.says(balance))
	}
	if o.price > 0 {
		face := core.NewWei(ticketEV * 100)
		out["ticket_params"] = rpc.ToTicketParams(&pm.Params{Recipient: core.Address{19: 7}, FaceValue: face,
			WinProb:           pm.WinProb(face, core.NewWei(ticketEV)),
			RecipientRandHash: protocol.Hash{1, set}, ExpirationBlock: 1100})
	}
	_ = json.NewEncoder(w).Encode(out)
}

// record records a request, and credits its tickets.
func (o *orchestrator) record(r *http.Request) sighting {
	body, _ := io.ReadAll(r.Body)
	s := sighting{line: r.Method + " " + r.URL.RequestURI(), body: string(body), header: r.Header.Clone()}
	if data, err := base64.StdEncoding.DecodeString(r.Header.Get("Livepeer")); err == nil {
		_ = json.Unmarshal(data, &s.job)
	}
	if data, err := base64.StdEncoding.DecodeString(r.Header.Get("Livepeer-Payment")); err == nil {
		var p rpc.Payment
		if proto.Unmarshal(data, &p) == nil {
			s.tickets = len(p.GetTicketSenderParams())
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.balance += int64(s.tickets) * ticketEV
	o.seen = append(o.seen, s)
	return s
}

// saw are the requests whose path begins so.
func (o *orchestrator) saw(path string) (out []sighting) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.seen {
		if strings.HasPrefix(s.line[strings.IndexByte(s.line, ' ')+1:], path) {
			out = append(out, s)
		}
	}
	return out
}

func (o *orchestrator) tickets() (n int) {
	for _, s := range o.saw("/") {
		n += s.tickets
	}
	return n
}

// funded refuses what its balance does not cover for a minute.
func (o *orchestrator) funded(w http.ResponseWriter) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.balance < 60*o.price {
		http.Error(w, "Insufficient balance for request", http.StatusBadRequest)
		return false
	}
	o.balance -= o.price
	return true
}

func (o *orchestrator) serveRequest(w http.ResponseWriter, r *http.Request) {
	s := o.record(r)
	if o.request != nil && o.request(w, r) || !o.funded(w) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Livepeer-Balance", "0")
	w.Header().Set("X-Metadata", `{"k":1}`)
	_ = json.NewEncoder(w).Encode(map[string]string{"line": s.line, "body": s.body})
}

func (o *orchestrator) serveStream(w http.ResponseWriter, r *http.Request) {
	s := o.record(r)
	if o.stream != nil && o.stream(w, r) {
		return
	}
	switch what := r.PathValue("what"); what {
	case "start":
		if o.funded(w) {
			o.begin(w, &s.job)
		}
	case "stop":
		o.closeChannels(s.job.ID)
		fallthrough
	default:
		fmt.Fprintf(w, "%s %s", what, s.body)
	}
}

// begin opens a stream's channels; their addresses have a host that only its workers know.
func (o *orchestrator) begin(w http.ResponseWriter, j *external.Wire) {
	base := "http://inside.test:9999/ai/trickle/" + j.ID
	local := o.srv.URL + "/ai/trickle/" + j.ID
	open := func(header, end, kind string) {
		o.hub.Open("", j.ID+end, kind)
		w.Header().Set(header, base+end)
	}
	open("X-Control-Url", "-control", "application/json")
	open("X-Events-Url", "-events", "application/json")
	if strings.Contains(j.Parameters, "video") {
		open("X-Publish-Url", "", "video/MP2T")
		open("X-Subscribe-Url", "-out", "video/MP2T")
		o.wg.Go(func() { o.echo(local) })
	}
	if strings.Contains(j.Parameters, "data") {
		open("X-Data-Url", "-data", "application/jsonl")
	}
}

// echo is a worker that sends the video back.
func (o *orchestrator) echo(base string) {
	opt := trickle.ClientOptions{Client: o.http, FromStart: true}
	in, out := trickle.NewSubscriber(base, opt), trickle.NewPublisher(base+"-out", opt)
	defer out.Close(o.ctx)
	defer in.Close()
	for {
		s, err := in.Next(o.ctx)
		if err != nil {
			return
		}
		if to, err := out.Next(o.ctx); err == nil {
			_, _ = io.Copy(to, s)
			to.Close()
		}
		s.Close()
	}
}

// gateway is a gateway's part for BYOC, on loopback.
type gateway struct {
	*byoc.Server
	url string
	mu  sync.Mutex
	// list are its orchestrators.
	list []string
}

// setup is what tests change of a gateway.
type setup struct {
	byoc.Options
	media    bool
	webhook  *live.Webhook
	restream live.Restream
	payments upstream.Payments
}

func newGateway(t testing.TB, change func(*setup), list ...*orchestrator) *gateway {
	t.Helper()
	g := &gateway{}
	for _, o := range list {
		g.list = append(g.list, o.srv.URL)
	}
	x := setup{Options: byoc.Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, Rand: rand.Reader,
		Limits: byoc.Limits{Search: 5 * time.Second, Ask: 5 * time.Second}}}
	x.Orchestrators = func(context.Context) ([]string, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return append([]string(nil), g.list...), nil
	}
	if change != nil {
		change(&x)
	}
	x.Channels = trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)
	x.Client = upstream.New(upstream.Options{Payments: x.payments})
	media := live.Options{Channels: x.Channels, Now: time.Now, Rand: rand.Reader, Log: x.Log,
		Webhook: x.webhook, Restream: x.restream, Puller: live.RTMP{},
		Limits: live.Limits{PullAgain: 50 * time.Millisecond,
			MinSegment: 100 * time.Millisecond, Watch: 20 * time.Millisecond, Keep: 100 * time.Millisecond}}
	if x.media {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		media.Conn = conn
	}
	var err error
	if x.Live, err = live.New(media); err != nil {
		t.Fatal(err)
	}
	g.Server = byoc.New(x.Options)
	mux := http.NewServeMux()
	g.Register(mux)
	x.Live.Register(mux)
	srv := httptest.NewServer(mux)
	g.url = srv.URL
	t.Cleanup(func() {
		g.Close()
		x.Live.Close()
		srv.CloseClientConnections()
		srv.Close()
		x.Client.Close()
		x.Channels.CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
	})
	return g
}

// job is a client's header.
func job(request, parameters string, seconds int) string {
	data, _ := json.Marshal(map[string]any{"request": request, "parameters": parameters, "capability": "demo-cap",
		"timeout_seconds": seconds})
	return base64.StdEncoding.EncodeToString(data)
}

// do sends a request; token may be "".
func (g *gateway) do(t testing.TB, method, path, header, token, body string) (*http.Response, string) {
	t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = g.url + path
	}
	r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		r.Header.Set("Livepeer", header)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return res, string(data) + " CUT"
	}
	return res, string(data)
}

// refused checks that an answer has a code.
func refused(t testing.TB, res *http.Response, text string, status int, code string) {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(text), &body) != nil || res.StatusCode != status || body.Error.Code != code ||
		body.Error.Message == "" {
		t.Errorf("%s %s, want %d %s", res.Status, text, status, code)
	}
}

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("no ", what)
		}
	}
}

// lines reads an answer's lines as they come.
func lines(r io.Reader) <-chan string {
	out := make(chan string, 100)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(r); s.Scan(); {
			out <- s.Text()
		}
	}()
	return out
}

// clock is one that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
