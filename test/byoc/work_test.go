package byoc_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/byoc"
)

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newClient is a gateway of a node, at an address of this machine.
func newClient(t *testing.T, n *byoc.Node, address string) *byoc.Client {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &byoc.Client{T: t, URI: n.URI, HTTP: &http.Client{Transport: transport}, Key: newKey(t)}
}

func work() byoc.Job {
	return byoc.Job{ID: "job", Request: `{"run":"x"}`, Parameters: "{}", Capability: "cap", Timeout: 30}
}

// about is a job about a stream.
func about(id string) byoc.Job {
	return byoc.Job{ID: "call", Request: `{"stream_id":"` + id + `"}`, Capability: "cap", Timeout: 30}
}

func start(id, parameters string) byoc.Job {
	return byoc.Job{ID: id, Request: `{}`, Parameters: parameters, Capability: "cap", Timeout: 30}
}

// await waits for a condition.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatal("waited in vain for ", what)
		}
	}
}

func expect(t *testing.T, what string, got byoc.Answer, status int, text string) {
	t.Helper()
	if got.Status != status || text != "" && got.Body != text {
		t.Errorf("%s: %d %q, want %d %q", what, got.Status, got.Body, status, text)
	}
}

const (
	noCapacity = "No capacity available for capability\n"
	brokeOff   = "job not able to be processed err=its server broke off\n"
)

// TestSlotsAreCountedOnce: a capability has no more work at once than slots, and each way in which work ends gives its
// slot back.
func TestSlotsAreCountedOnce(t *testing.T) {
	t.Parallel()
	n, worker := free(t), byoc.NewCapability(t)
	c := newClient(t, n, "127.0.0.1")
	busy, release := make(chan struct{}), make(chan struct{})
	worker.Working = func(r *http.Request) {
		if r.URL.Path == "/hold" {
			busy <- struct{}{}
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	}
	expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
	header := c.Header(work())
	for range 2 {
		answered := make(chan byoc.Answer, 1)
		go func() { answered <- c.Send("POST", "/process/request/hold", "{}", "Livepeer", header) }()
		<-busy
		expect(t, "a second job", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), 503, noCapacity)
		begin := c.Header(start("s", "{}"))
		expect(t, "a stream", c.Send("POST", "/ai/stream/start", "{}", "Livepeer", begin), 503, noCapacity)
		if token, a := c.Token("cap"); token.Available != 0 {
			t.Error(a)
		}
		expect(t, "register again", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
		expect(t, "after it", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), 503, noCapacity)
		release <- struct{}{}
		expect(t, "the job", <-answered, http.StatusOK, "")
	}
	expect(t, "broken", c.Send("POST", "/process/request/break", "{}", "Livepeer", header), 500, brokeOff)
	expect(t, "refused", c.Send("POST", "/process/request/bad", "{}", "Livepeer", header), 422, "")
	other := work()
	other.Request = `7`
	expect(t, "no object", c.Send("POST", "/process/request/x", "{}", "Livepeer", c.Header(other)), 400, "")
	short := work()
	short.Timeout = 1
	go func() { <-busy }()
	expect(t, "late", c.Send("POST", "/process/request/hold", "{}", "Livepeer", c.Header(short)), 504, "")
	// A gateway that leaves.
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", n.URI+"/process/request/hold", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Livepeer", header)
	go func() { <-busy; leave() }()
	if res, err := c.HTTP.Do(r); err == nil {
		res.Body.Close()
		t.Error(res.Status)
	}
	await(t, "the slot", func() bool { token, _ := c.Token("cap"); return token.Available == 1 })
	expect(t, "a job", c.Send("POST", "/process/request/x", "{}", "Livepeer", header), http.StatusOK, "")
}

// TestErrorsNameNoAddress: what a gateway gets to know of a server that does not serve is that it does not.
func TestErrorsNameNoAddress(t *testing.T) {
	t.Parallel()
	n := free(t)
	c := newClient(t, n, "127.0.0.1")
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	header := c.Header(work())
	for path, headers := range map[string]string{
		"/process/request/x": header, "/ai/stream/start": c.Header(start("s", "{}")),
	} {
		expect(t, "register", c.Register(byoc.Secret, "cap", "http://"+address, 1, 0), http.StatusOK, "ok")
		expect(t, path, c.Send("POST", path, "{}", "Livepeer", headers), 500,
			"job not able to be processed, removing capability err=its server cannot be reached\n")
		expect(t, path+" again", c.Send("POST", path, "{}", "Livepeer", headers), 503, noCapacity)
	}
	for _, path := range []string{"a/..%2f..%2fx", "..%5cx"} {
		expect(t, path, c.Send("POST", "/process/request/"+path, "", "Livepeer", header), 400, "")
	}
}

// TestEventsEndWithTheirLastOne: the balance comes before it, and nothing after it.
func TestEventsEndWithTheirLastOne(t *testing.T) {
	t.Parallel()
	n, worker := free(t), byoc.NewCapability(t)
	c := newClient(t, n, "127.0.0.1")
	next := make(chan struct{})
	worker.Next = func(*http.Request) { <-next }
	expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
	res := c.Begin("POST", "/process/request/sse", "{}", "Livepeer", c.Header(work()))
	defer res.Body.Close()
	in := bufio.NewScanner(res.Body)
	if !in.Scan() || in.Text() != `data: {"n":0}` { // before the next one is made
		t.Fatal(in.Text(), in.Err())
	}
	next <- struct{}{}
	var rest []string
	for in.Scan() {
		if in.Text() != "" {
			rest = append(rest, in.Text())
		}
	}
	if got := strings.Join(rest, "|"); got != `data: {"balance": 0.000}|data: [DONE]` {
		t.Error(got)
	}
	close(next)
}

// stream is what the answer to a start says.
func stream(t *testing.T, c *byoc.Client, id, parameters, body string) byoc.Answer {
	t.Helper()
	a := c.Send("POST", "/ai/stream/start", body, "Livepeer", c.Header(start(id, parameters)))
	if a.Status != http.StatusOK {
		t.Fatal(a)
	}
	return a
}

// TestStreams: channels are made for what the parameters say, a gateway names none of its own, and what ends a stream
// is told to its capability.
func TestStreams(t *testing.T) {
	t.Parallel()
	n, worker := free(t), byoc.NewCapability(t)
	c := newClient(t, n, "127.0.0.1")
	expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
	local := func(url string) string { return "/ai/trickle/" + url[strings.LastIndex(url, "/")+1:] }
	for _, end := range []string{"input", "stop", "node"} {
		a := stream(t, c, "mine",
			`{"enable_video_ingress":true}`,
			`{"control_url":"http://127.0.0.1:1","data_url":"x","Data_URL":"x","publiſh_url":"x","p":1}`)
		if a.Header.Get("X-Publish-Url") == "" || a.Header.Get("X-Subscribe-Url") != "" || a.Header.Get("X-Data-Url") != "" {
			t.Error(a.Header)
		}
		seen := worker.Seen()
		var got map[string]any
		if err := json.Unmarshal([]byte(seen[len(seen)-1].Body), &got); err != nil || len(got) != 5 || got["p"] != 1.0 ||
			!strings.HasPrefix(got["control_url"].(string), "http://inside.test:8935/ai/trickle/") {
			t.Error(got, err)
		}
		name := seen[len(seen)-1].Headers["X-Stream-Id"] // another than the id where the one before is being stopped
		if name != got["gateway_request_id"] || !strings.HasPrefix(name, "mine") {
			t.Error(name, got)
		}
		in := local(a.Header.Get("X-Publish-Url"))
		expect(t, "write", c.Send("POST", in+"/0", "media"), http.StatusOK, "")
		expect(t, "read", c.Send("GET", local(got["subscribe_url"].(string))+"/0", ""), http.StatusOK, "media")
		expect(t, "update", c.Send("POST", "/ai/stream/update", `no`, "Livepeer", c.Header(about("mine"))), 400, "")
		switch end {
		case "input":
			expect(t, "end", c.Send("DELETE", in, ""), http.StatusOK, "")
		case "stop":
			header := c.Header(about("mine"))
			expect(t, "stop", c.Send("POST", "/ai/stream/stop", "", "Livepeer", header), http.StatusOK, "")
		case "node":
			n.End()
		}
		await(t, "the end of the stream", func() bool {
			all := worker.Seen()
			last := all[len(all)-1]
			return last.Path == "/stream/stop" && last.Headers["X-Stream-Id"] == name && n.Capabilities.Used() == 0
		})
	}
}

// TestStreamsAreTheirGateways: off-chain too, where no signature proves an account, another peer reaches no stream.
func TestStreamsAreTheirGateways(t *testing.T) {
	t.Parallel()
	n, worker := free(t), byoc.NewCapability(t)
	c, stranger := newClient(t, n, "127.0.0.1"), newClient(t, n, "127.0.0.2")
	expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 2, 0), http.StatusOK, "ok")
	stream(t, c, "mine", "{}", "")
	seen := len(worker.Seen())
	stranger.Key = c.Key // its headers are a replay
	header := stranger.Header(about("mine"))
	expect(t, "update", stranger.Send("POST", "/ai/stream/update", "{}", "Livepeer", header), 404, "Stream not found\n")
	expect(t, "stop", stranger.Send("POST", "/ai/stream/stop", "{}", "Livepeer", header), http.StatusOK, "")
	expect(t, "the same id", stranger.Send("POST", "/ai/stream/start", "{}", "Livepeer", stranger.Header(start("mine",
		"{}"))), 500, "Error adding stream to external capabilities\n")
	tickets := &rpc.TicketParams{
		Recipient: make([]byte, 20), FaceValue: []byte{9}, WinProb: bytes.Repeat([]byte{255}, 32),
		RecipientRandHash: make([]byte, 32), Seed: []byte{1},
	}
	payment := stranger.Payment(byoc.Token{Params: tickets, Price: &rpc.PriceInfo{PricePerUnit: 1, PixelsPerUnit: 1}}, 5)
	stranger.Send("POST", "/ai/stream/payment", "", "Livepeer", header, "Livepeer-Payment", payment)
	stranger.Send("POST", "/ai/stream/stop", "{}", "Livepeer", header)
	if got := len(worker.Seen()); got != seen || n.Capabilities.Streams() != 1 {
		t.Errorf("%d requests, %d streams", got-seen, n.Capabilities.Streams())
	}
	expect(t, "stop", c.Send("POST", "/ai/stream/stop", "{}", "Livepeer", header), http.StatusOK, "")
	if n.Capabilities.Streams() != 0 {
		t.Error("its gateway did not stop it")
	}
	other := about("mine")
	other.Sender = newClient(t, n, "127.0.0.1").Account().String()
	expect(t, "another account", c.Send("POST", "/ai/stream/payment", "", "Livepeer", c.Header(other)), 404, "")
}
