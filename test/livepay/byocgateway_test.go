package livepay

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	wire "github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	gatewaybyoc "github.com/tuttinode/tutti/server/gateway/byoc"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/byoc"
)

// payingGateway is a gateway that serves external capabilities of a node, and pays for them.
type payingGateway struct {
	*capabilityRig
	url  string
	book *paymentlog.Store
	// self has the gateway's account.
	self *byoc.Client
}

// topPrice is the most that a second may cost.
type topPrice struct{}

func (topPrice) MaxTranscoding() *big.Rat          { return big.NewRat(secondPrice, 1) }
func (topPrice) MaxModel(inference.Model) *big.Rat { return big.NewRat(secondPrice, 1) }

func newPayingGateway(t *testing.T) *payingGateway {
	t.Helper()
	g := &payingGateway{capabilityRig: newCapabilityRig(t)}
	g.self = g.from("127.0.0.1", 7)
	channels := trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)
	up := upstream.New(upstream.Options{Payments: g.wallet(7)})
	log := slog.New(slog.DiscardHandler)
	media, err := live.New(live.Options{
		Channels: channels, Now: g.time, Rand: rand.Reader, Log: log, Limits: live.Limits{Watch: 20 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := gatewaybyoc.New(gatewaybyoc.Options{
		Client: up, Live: media, Channels: channels, Log: log, Now: g.time, Rand: rand.Reader,
		Orchestrators: func(context.Context) ([]string, error) { return []string{g.listener.URI}, nil },
		Limits:        gatewaybyoc.Limits{Ask: 5 * time.Second, Search: 5 * time.Second, Pay: 20 * time.Millisecond},
	})
	mux := http.NewServeMux()
	s.Register(mux)
	srv := httptest.NewServer(mux)
	g.url = srv.URL
	t.Cleanup(func() {
		s.Close()
		media.Close()
		srv.CloseClientConnections()
		srv.Close()
		up.Close()
		channels.CloseIdleConnections()
	})
	return g
}

// wallet pays from a funded account, and keeps a log of it.
func (g *payingGateway) wallet(key byte) *upstream.TicketPayments {
	t, a := g.t, newAccount(key)
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), t.TempDir(), func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	book, issued, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: a.address()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- book.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	g.book = book
	limits := pm.Limits{MaxEV: core.NewWei(1 << 40), MaxTotalEV: core.NewWei(1 << 60), MaxCredit: core.NewWei(1 << 60)}
	s := sender.New(sender.Options{Account: a.address(), Sign: a.SignMessage, Chain: g.chain, Book: book, Issued: issued,
		Limits: limits, Now: g.time})
	return upstream.NewTicketPayments(upstream.TicketOptions{Sender: s, Sign: a.SignMessage, Caps: topPrice{}})
}

// ask sends a client's request to the gateway.
func (g *payingGateway) ask(method, url, parameters, body string) *http.Response {
	g.t.Helper()
	if !strings.HasPrefix(url, "http") {
		url = g.url + url
	}
	r, err := http.NewRequestWithContext(g.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	job := wire.Wire{Request: `{"run":"x"}`, Parameters: parameters, Capability: "cap", Timeout: 30}
	data, err := json.Marshal(job)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Livepeer", base64.StdEncoding.EncodeToString(data))
	res, err := g.self.HTTP.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	return res
}

// answer is ask with the whole answer.
func (g *payingGateway) answer(method, url, parameters, body string) byoc.Answer {
	g.t.Helper()
	res := g.ask(method, url, parameters, body)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return byoc.Answer{Status: res.StatusCode, Header: res.Header, Body: string(data)}
}

// booksAgree compares what the gateway logged with the orchestrator's books, and those with what it reports.
func (g *payingGateway) booksAgree(what string, seconds int64) {
	g.t.Helper()
	credited, units, left := g.account(g.self)
	totals, err := g.book.Totals(g.t.Context(), paymentlog.Query{})
	if err != nil || len(totals) != 1 {
		g.t.Fatal(totals, err)
	}
	if totals[0].Value.Cmp(credited) != 0 || credited.Sign() == 0 {
		g.t.Errorf("%s: the gateway paid %s, the orchestrator got %s", what, totals[0].Value, credited)
	}
	price := pm.Price{PerUnit: secondPrice, PixelsPerUnit: 1}
	if units != seconds || left.Cmp(credited.Sub(price.Of(units))) != 0 {
		g.t.Errorf("%s: %d seconds charged, want %d; %s of %s left", what, units, seconds, left, credited)
	}
	if token, _ := g.self.Token("cap"); left.Floor().Cmp(big.NewInt(token.Balance)) != 0 {
		g.t.Errorf("%s: a balance of %d is reported, want %s", what, token.Balance, left)
	}
	if n := g.listener.Capabilities.Used(); n != 0 {
		g.t.Errorf("%s: %d slots are in use", what, n)
	}
}

// TestAGatewayPaysForCapabilities: requests, events and a stream of clients go through a gateway to a capability, are
// paid by its tickets as they take time, and what it logged agrees with the orchestrator's books to the wei.
func TestAGatewayPaysForCapabilities(t *testing.T) {
	t.Parallel()
	g := newPayingGateway(t)
	g.worker.Working = func(r *http.Request) {
		if r.URL.Path == "/run/deep" {
			g.later(2500 * time.Millisecond)
		}
	}
	a := g.answer("POST", "/process/request/run/deep", "{}", `{"in":1}`)
	g.is("a request", a, http.StatusOK, "")
	if !strings.Contains(a.Body, `/run/deep`) || a.Header.Get("X-Orchestrator-Url") != g.listener.URI ||
		a.Header.Get("X-Metadata") != `{"k":1}` {
		t.Error(a)
	}
	g.booksAgree("a request", 3)
	g.worker.Next = func(*http.Request) { g.later(3500 * time.Millisecond) }
	a = g.answer("POST", "/process/request/sse", "{}", "{}")
	g.is("events", a, http.StatusOK, "")
	if !strings.HasPrefix(a.Body, "data: {\"n\":0}\n") || !strings.HasSuffix(a.Body, "data: [DONE]\n\n") ||
		!strings.Contains(a.Body, `data: {"balance": `) {
		t.Errorf("%q", a.Body)
	}
	g.booksAgree("events", 7)
	g.is("a refusal of the capability", g.answer("POST", "/process/request/bad", "{}", "{}"), 422, "")
	g.booksAgree("a refusal", 8)
	g.stream()
}

// stream runs a stream with data, which is paid while it runs.
func (g *payingGateway) stream() {
	g.t.Helper()
	a := g.answer("POST", "/process/stream/start", `{"enable_data_output":true}`,
		`{"stream_name":"cam","params":"{\"p\":1}"}`)
	var at map[string]string
	if err := json.Unmarshal([]byte(a.Body), &at); err != nil || a.Status != http.StatusOK {
		g.t.Fatal(a)
	}
	seen := g.worker.Seen()
	var begun map[string]any
	if err := json.Unmarshal([]byte(seen[len(seen)-1].Body), &begun); err != nil || begun["gateway_request_id"] !=
		at["stream_id"] || begun["params"] == nil {
		g.t.Fatal(begun, err)
	}
	data := g.ask("GET", at["data_url"], "{}", "")
	defer data.Body.Close()
	_, channel, _ := strings.Cut(begun["data_url"].(string), "inside.test:8935")
	g.is("the capability's data", g.self.Send("POST", channel+"/0", "{\"n\":1}\n"), http.StatusOK, "")
	lines := bufio.NewScanner(data.Body)
	if !lines.Scan() || lines.Text() != `data: {"n":1}` {
		g.t.Error(lines.Text(), lines.Err())
	}
	before, _, _ := g.account(g.self)
	for range 4 {
		g.later(45 * time.Second)
		g.await("the charge and a payment", func() bool {
			credited, _, left := g.account(g.self)
			token, _ := g.self.Token("cap")
			return credited.Cmp(before) > 0 && left.Floor().Cmp(big.NewInt(120*secondPrice)) >= 0 &&
				left.Floor().Cmp(big.NewInt(token.Balance)) == 0
		})
		before, _, _ = g.account(g.self)
	}
	g.later(500 * time.Millisecond) // not on the border of two seconds
	update := g.answer("POST", at["update_url"], "{}", `{"p":2}`)
	g.is("an update", update, http.StatusOK, "")
	g.is("a stop", g.answer("POST", at["stop_url"], "{}", "{}"), http.StatusOK, "")
	seen = g.worker.Seen()
	if last := seen[len(seen)-1]; last.Path != "/stream/stop" || last.Headers["X-Stream-Id"] != at["stream_id"] {
		g.t.Error(last)
	}
	for lines.Scan() { // it ends with the stream
	}
	g.await("the end of the stream", func() bool {
		return g.listener.Capabilities.Streams() == 0 && g.listener.Hub.Len() == 0
	})
	g.booksAgree("a stream", 8+181)
}
