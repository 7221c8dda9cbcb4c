package livevideo_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/trickle"
)

const service = "http://orch.test:8935"

// Times by which a test finds the ticker that it wants to tick.
const (
	sessionTime = 22 * time.Second
	graceTime   = 5 * time.Second
	pingTime    = 10 * time.Second
)

// clock has tickers that tick when the test says so.
type clock struct {
	mu      sync.Mutex
	tickers map[time.Duration]chan time.Time
}

func (c *clock) of(d time.Duration) chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tickers[d] == nil {
		c.tickers[d] = make(chan time.Time)
	}
	return c.tickers[d]
}

func (c *clock) tick(d time.Duration) (<-chan time.Time, func()) { return c.of(d), func() {} }

// fire has a session's ticker tick.
func (c *clock) fire(t testing.TB, d time.Duration) {
	t.Helper()
	select {
	case c.of(d) <- time.Now():
	case <-time.After(30 * time.Second):
		t.Fatalf("nothing waits for %v", d)
	}
}

// rig is an orchestrator's part for a serverless runner, and that runner.
type rig struct {
	t       testing.TB
	hub     *trickle.Hub
	server  *livevideo.Serverless
	public  *httptest.Server
	clock   *clock
	reached chan error
	far     string
	// runner is called with each connection to the runner.
	runner func(r *http.Request, ws *websocket.Conn)
}

func newRig(t testing.TB, change func(o *livevideo.ServerlessOptions)) *rig {
	t.Helper()
	g := &rig{
		t: t, hub: trickle.NewHub(trickle.Limits{}, time.Now), clock: &clock{tickers: make(map[time.Duration]chan time.Time)},
		reached: make(chan error, 100),
	}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		g.runner(r, ws)
	}))
	t.Cleanup(far.Close)
	g.far = strings.TrimPrefix(far.URL, "http://")
	to, err := url.Parse("ws" + strings.TrimPrefix(far.URL, "http") + "/ws")
	if err != nil {
		t.Fatal(err)
	}
	o := livevideo.ServerlessOptions{
		Hub: g.hub, ServiceURI: service, Runner: livevideo.ServerlessRunner{
			Model: inference.Model{Capability: capability.LiveVideoToVideo, ID: "scope"}, URL: to,
			Key: core.NewSecret("fal-key"), Capacity: 1,
		},
		Times: livevideo.ServerlessTimes{Session: sessionTime, Grace: graceTime, Ping: pingTime}, Tick: g.clock.tick,
		Reached: func(err error) { g.reached <- err },
		Now:     time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	g.server = livevideo.NewServerless(o)
	mux := http.NewServeMux()
	liverunner.NotEnabled(mux)
	mux.HandleFunc("GET /discovery", g.server.Discovery)
	mux.HandleFunc("POST "+livevideo.ServerlessPath, g.server.Start)
	mux.Handle(livevideo.ChannelPath, g.hub.Handler(livevideo.ChannelPath))
	g.public = httptest.NewServer(mux)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.server.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil || g.server.Sessions() != 0 || g.hub.Len() != 0 {
			t.Error(err, g.server.Sessions(), "sessions,", g.hub.Len(), "channels are left")
		}
		g.public.Close()
	})
	return g
}

// do sends a request and returns the answer with its body.
func (g *rig) do(method, path, body string) (*http.Response, string) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, g.public.URL+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return res, string(data)
}

// start begins a session and returns its id.
func (g *rig) start(body string) string {
	g.t.Helper()
	res, text := g.do("POST", livevideo.ServerlessPath, body)
	var a struct {
		ID string `json:"manifest_id"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || res.StatusCode != 200 || len(a.ID) != 32 {
		g.t.Fatal(res.Status, text, err)
	}
	return a.ID
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("never: " + what)
		}
	}
}

// over waits until a session is over, and nothing of it is left.
func (g *rig) over() {
	g.t.Helper()
	eventually(g.t, "the session ends", func() bool { return g.server.Sessions() == 0 && g.hub.Len() == 0 })
}

// peer is the runner's side of a connection.
type peer struct {
	t  testing.TB
	ws *websocket.Conn
}

func (p *peer) say(text string) {
	_ = p.ws.WriteMessage(websocket.TextMessage, []byte(text)) // its reader finds out
}

// next is the next message of a kind; "" is the end of the connection.
func (p *peer) next() map[string]any {
	_, data, err := p.ws.ReadMessage()
	if err != nil {
		return map[string]any{}
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		p.t.Error(err)
	}
	return m
}

// begin is the beginning of a session that succeeds.
func (p *peer) begin() {
	p.say(`{"type":"ready"}`)
	if m := p.next(); m["manifest_id"] == nil {
		p.t.Errorf("the runner got %v", m)
	}
	p.say(`{"type":"started"}`)
}

// serves has the runner begin each session, and then do more.
func (g *rig) serves(more func(p *peer)) {
	g.runner = func(_ *http.Request, ws *websocket.Conn) {
		p := &peer{g.t, ws}
		p.begin()
		more(p)
	}
}

// runnerHost is the runner's host and port.
func (g *rig) runnerHost() string { return g.far }
