package livevideo_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
)

// A runner that restarts gets the request again, and its media channels are gone.
func TestRunnerRestarts(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	again := make(chan map[string]any, 3)
	g.serves(func(p *peer) {
		p.say(`{"type":"create_channels","request_id":"a","direction":"in"}`)
		again <- p.next()
		p.say(`{"type":"restarting","request_id":"b"}`)
		again <- p.next()
		p.say(`{"type":"ready"}`)
		again <- p.next()
		p.say(`{"type":"started"}`)
		p.say(`{"type":"create_channels","request_id":"c","direction":"out","mime_type":"text/plain"}`)
		again <- p.next()
		p.next() // the end
	})
	id := g.start(`{"params":{"prompt":"x"}}`)
	if m := <-again; m["type"] != "response" {
		t.Error(m)
	}
	if m := <-again; m["type"] != "response" || m["request_id"] != "b" || m["channels"] != nil {
		t.Error(m)
	}
	if m := <-again; m["manifest_id"] != id || m["params"].(map[string]any)["prompt"] != "x" {
		t.Error(m)
	}
	if m := <-again; m["request_id"] != "c" {
		t.Error(m)
	}
	if g.hub.Channel(id+"-1-in") != nil || g.hub.Channel(id+"-2-out").MIME() != "text/plain" || g.hub.Len() != 3 {
		t.Error(g.hub.Len(), "channels")
	}
	g.hub.Close(id + "-events")
	g.over()
}

// Whatever side ends a session ends it for the others, and its slot is free again.
func TestEndsOfSessions(t *testing.T) {
	t.Parallel()
	quiet := func(p *peer) { p.next() }
	for name, c := range map[string]struct {
		runner func(p *peer)
		end    func(g *rig, id string)
	}{
		"control closed": {quiet, func(g *rig, id string) { g.do("DELETE", "/ai/trickle/"+id+"-control", "") }},
		"runner gone":    {func(*peer) {}, nil},
		"no message":     {func(p *peer) { p.say("{"); p.next() }, nil},
		"binary": {func(p *peer) {
			_ = p.ws.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"pong"}`))
			p.next()
		}, nil},
		"unknown type":      {func(p *peer) { p.say(`{"type":"dance"}`); p.next() }, nil},
		"unknown direction": {func(p *peer) { p.say(`{"type":"create_channels","direction":"up"}`); p.next() }, nil},
		"large message": {func(p *peer) {
			p.say(`{"type":"pong","error":"` + strings.Repeat("x", 1<<17) +
				`"}`)
			p.next()
		}, nil},
		"error later": {func(p *peer) { p.say(`{"type":"error","code":"A","error":"b"}`); p.next() }, nil},
		"too many channels": {func(p *peer) {
			for range 33 {
				p.say(`{"type":"create_channels","direction":"in"}`)
			}
			for len(p.next()) > 0 {
			}
		}, nil},
		"too many starts": {func(p *peer) {
			for range 21 {
				p.say(`{"type":"ready"}`)
				p.say(`{"type":"started"}`)
			}
			for len(p.next()) > 0 {
			}
		}, nil},
		"pings without answers": {func(p *peer) {
			for len(p.next()) > 0 {
			}
		}, func(g *rig, _ string) {
			for range 4 {
				g.clock.fire(g.t, pingTime)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, nil)
			g.serves(c.runner)
			id := g.start(`{}`)
			if c.end != nil {
				c.end(g, id)
			}
			g.over()
		})
	}
}

// What a runner may do as often as it likes ends no session.
func TestAllowedOften(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	done := make(chan bool)
	g.serves(func(p *peer) {
		for i := range 100 {
			p.say(`{"type":"create_channels","request_id":"` + strconv.Itoa(i) + `","direction":"bidirectional"}`)
			m := p.next()
			urls, _ := json.Marshal([]any{
				m["channels"].([]any)[0].(map[string]any)["url"], m["channels"].([]any)[1].(map[string]any)["url"],
			})
			p.say(`{"type":"close_channels","channels":` + string(urls) + `}`)
			p.say(`{"type":"pong"}`)
		}
		p.say(`{"type":"close_channels","channels":["http://orch.test:8935/ai/trickle/other"]}`)
		done <- true
		p.next()
	})
	g.hub.Open("", "other", "x")
	id := g.start(`{}`)
	<-done
	if g.hub.Channel("other") == nil || g.server.Sessions() != 1 {
		t.Error("a channel of another was closed, or the session")
	}
	g.hub.Close("other")
	g.hub.Close(id + "-events")
	g.over()
}

// A client reaches no other host than the prefix's, and no other folder.
func TestChosenRunner(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	g := newRig(t, func(o *livevideo.ServerlessOptions) {
		o.Runner.Prefix = o.Runner.URL.JoinPath("a")
	})
	g.runner = func(r *http.Request, ws *websocket.Conn) {
		asked <- r.URL.String()
		p := &peer{t, ws}
		p.begin()
		p.next()
	}
	host := strings.TrimPrefix(g.public.URL, "http://") // another port than the runner's
	for _, bad := range []string{
		"ws://" + host + "/ws/a", "wss://RUNNER/ws/a", "http://RUNNER/ws/a", "ws://RUNNER/ws/b", "ws://RUNNER/ws/a/../b",
		"ws://RUNNER/ws/a/%2e%2e/b", "ws://x@RUNNER/ws/a", "ws://RUNNER/ws/a#f", "ws:RUNNER/ws/a", "/ws/a", "%",
		"ws://RUNNER@" + host + "/ws/a", "ws://RUNNER.example/ws/a", `ws://RUNNER/ws/a\..\b`,
		"ws://RUNNER/ws/another", "ws://RUNNER/ws/a-b/c", "ws://RUNNER/ws/a%2fb",
		"ws://RUNNER/ws/a/..;x/b", "ws://RUNNER/ws/a/%2e%2e;/b", "ws://RUNNER/ws/a/..%3bx/b",
	} {
		bad = strings.ReplaceAll(bad, "RUNNER", g.runnerHost())
		body, _ := json.Marshal(map[string]any{"params": map[string]string{"ws_url": bad}})
		if res, text := g.do("POST", "/scope", string(body)); res.StatusCode != 400 ||
			text != "params.ws_url is not allowed\n" {
			t.Error(bad, res.Status, text)
		}
	}
	good := map[string]string{"ws_url": "ws://" + g.runnerHost() + "/ws/a/b?c=d"}
	body, _ := json.Marshal(map[string]any{"params": good})
	id := g.start(string(body))
	if got := <-asked; got != "/ws/a/b?c=d" {
		t.Error(got)
	}
	g.hub.Close(id + "-events")
	g.over()
	if len(asked) != 0 {
		t.Error(len(asked), "other connections")
	}
}

// What is wrong with a request is said without naming the runner, and costs no slot.
func TestRefusedStarts(t *testing.T) {
	t.Parallel()
	pay := new(payments)
	g := newRig(t, func(o *livevideo.ServerlessOptions) {
		o.Runner.URL, o.Payments = &url.URL{Scheme: "ws", Host: "127.0.0.1:1"}, pay
	})
	for body, want := range map[string]string{
		`{"params":{"ws_url":"ws://127.0.0.1/"}}`:    "params.ws_url is not supported\n",
		`{"params":{"daydream_user_id":"a\r\nb:c"}}`: "params.daydream_user_id is invalid\n",
		`{"params":[]}`:               "params is invalid\n",
		`{"params":{"ws_url":1}}`:     "params is invalid\n",
		strings.Repeat(" ", 1<<20+10): "http: request body too large\n",
	} {
		if res, text := g.do("POST", "/scope", body); res.StatusCode != 400 || text != want {
			t.Errorf("%.40s: %s %s", body, res.Status, text)
		}
	}
	res, text := g.do("POST", "/scope", `{}`)
	if res.StatusCode != 500 || text != "serverless handshake failed (UNREACHABLE): the runner cannot be reached\n" {
		t.Error(res.Status, text)
	}
	if err := <-g.reached; err == nil {
		t.Error("the runner was reached")
	}
	if g.server.Sessions() != 0 || g.hub.Len() != 0 {
		t.Error(g.server.Sessions(), g.hub.Len())
	}
	if got := pay.counts(); got != [3]int{1, 0, 1} {
		t.Error("a runner that was not reached is charged for", got)
	}
}

// payments are those of a test.
type payments struct {
	mu       sync.Mutex
	opened   int
	closed   int
	dropped  int
	unpaid   chan struct{}
	asks     bool
	refusing error
}

func (p *payments) Asked(*http.Request) bool { return p.asks }
func (p *payments) Challenge(w http.ResponseWriter, _ *http.Request, m inference.Model) {
	http.Error(w, "pay for "+m.ID, http.StatusPaymentRequired)
}

func (p *payments) Open(_ *http.Request, fresh string, _ inference.Model) (string, livevideo.Meter, error) {
	if p.refusing != nil {
		return "", nil, p.refusing
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened++
	return fresh, p, nil
}
func (p *payments) Unpaid() <-chan struct{} { return p.unpaid }
func (p *payments) Close()                  { p.mu.Lock(); p.closed++; p.mu.Unlock() }
func (p *payments) Drop()                   { p.mu.Lock(); p.dropped++; p.mu.Unlock() }

func (p *payments) counts() [3]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return [3]int{p.opened, p.closed, p.dropped}
}

// Payment comes before capacity, what got no slot costs nothing, and an unpaid session ends.
func TestPaymentOfSessions(t *testing.T) {
	t.Parallel()
	pay := &payments{unpaid: make(chan struct{}), asks: true}
	g := newRig(t, func(o *livevideo.ServerlessOptions) { o.Payments, o.Price = pay, func() int64 { return 7 } })
	g.serves(func(p *peer) { p.next() })
	if res, text := g.do("POST", "/scope", `{}`); res.StatusCode != 402 || text != "pay for scope\n" {
		t.Error(res.Status, text)
	}
	pay.asks, pay.refusing = false, fault.New(fault.LiveSessionExists, "x", "")
	if res, _ := g.do("POST", "/scope", `{}`); res.StatusCode != http.StatusConflict {
		t.Error(res.Status)
	}
	pay.refusing = nil
	g.start(`{}`)
	if res, text := g.do("POST", "/scope", `{}`); res.StatusCode != 503 || text != "insufficient capacity\n" {
		t.Error(res.Status, text)
	}
	if got := pay.counts(); got != [3]int{2, 0, 1} {
		t.Error(got)
	}
	if _, text := g.do("GET", "/discovery", ""); !strings.Contains(text,
		`"price_info":{"price":7,"currency":"wei","unit":"720p-pixel-seconds"}`) {
		t.Error(text)
	}
	close(pay.unpaid)
	g.over()
	if got := pay.counts(); got != [3]int{2, 1, 1} {
		t.Error(got)
	}
}

// A node that drains begins no session and lists no runner; a runner's key is in no answer.
func TestDrain(t *testing.T) {
	t.Parallel()
	g := newRig(t, func(o *livevideo.ServerlessOptions) {
		o.Draining = func() bool { return true }
		o.Runner.Key = core.NewSecret("very-secret")
	})
	if res, text := g.do("POST", "/scope", `{}`); res.StatusCode != 503 || text != "insufficient capacity\n" {
		t.Error(res.Status, text)
	}
	if _, text := g.do("GET", "/discovery", ""); strings.Contains(text, "runners") || strings.Contains(text, "secret") {
		t.Error(text)
	}
}
