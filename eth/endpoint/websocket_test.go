package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// socketNode is a fake node behind a websocket.
type socketNode struct {
	*fakeNode
	server *httptest.Server

	mu    sync.Mutex
	conns []*websocket.Conn
	auth  []string
	// deaf: takes requests and never answers.
	deaf bool
	// mute: takes no subscriptions.
	mute bool
}

func newSocketNode(t *testing.T) *socketNode {
	n := &socketNode{fakeNode: newFakeNode(t)}
	n.server = httptest.NewServer(http.HandlerFunc(n.serve))
	t.Cleanup(func() {
		n.drop()
		n.server.Close()
	})
	return n
}

func (n *socketNode) url() string { return "ws" + strings.TrimPrefix(n.server.URL, "http") + "/key" }

func (n *socketNode) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	n.mu.Lock()
	n.conns = append(n.conns, conn)
	n.auth = append(n.auth, r.Header.Get("Authorization"))
	if !n.mute {
		n.fakeNode.set(func() { n.answers["eth_subscribe"] = gives("0x1") })
	}
	n.mu.Unlock()
	for {
		_, body, err := conn.ReadMessage()
		if err != nil {
			return
		}
		n.mu.Lock()
		if !n.deaf {
			_ = conn.WriteMessage(websocket.TextMessage, n.respond(body))
		}
		n.mu.Unlock()
	}
}

// mine makes a block and tells of it.
func (n *socketNode) mine(number uint64) {
	n.set(func() { n.head = number })
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		notice, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "eth_subscription",
			"params": map[string]any{"subscription": "0x1", "result": map[string]any{"number": hex(number)}}})
		_ = c.WriteMessage(websocket.TextMessage, notice)
	}
}

// drop closes all connections.
func (n *socketNode) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.conns = nil
}

func (n *socketNode) connections() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.conns)
}

func socketPool(t *testing.T, url string, change func(*Options)) *Pool {
	t.Helper()
	o := Options{Endpoints: []Endpoint{{URL: core.NewSecret(url)}}, ChainID: 42161, CallTimeout: time.Second,
		PollInterval: 100 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestWebsocketReads(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	p := socketPool(t, strings.Replace(n.url(), "ws://", "ws://user:pass@", 1), nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if _, err := p.BalanceAt(t.Context(), [20]byte{}, 0); err != nil {
					t.Error(err)
				}
				if r, err := p.CallBatch(t.Context(), 0, calls(3)); err != nil || len(r) != 3 {
					t.Error(r, err)
				}
			}
		})
	}
	wg.Wait()
	if n.connections() != 1 || n.count("eth_chainId") != 1 || n.auth[0] != "Basic dXNlcjpwYXNz" {
		t.Errorf("%d connections, %d chain IDs, %q", n.connections(), n.count("eth_chainId"), n.auth)
	}
}

func TestWebsocketTellsOfHeads(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	// Polls are further apart than the test waits: what comes, comes from the subscription.
	p := socketPool(t, n.url(), func(o *Options) { o.PollInterval = 2 * time.Second })
	running(t, p)
	heads := p.Heads(t.Context())
	<-heads
	eventually(t, "a subscription", func() bool { return p.Status().Endpoints[0].Subscribed })
	n.mine(1010)
	eventually(t, "the new block", func() bool { h, _ := p.Known(); return h.Number == 1010 })
	if h := <-heads; h.Number != 1010 || h.L1 != protocol.L1Block(1010/48) {
		t.Errorf("%+v", h)
	}
}

func TestWebsocketReconnects(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	p := socketPool(t, n.url(), nil)
	running(t, p)
	eventually(t, "a subscription", func() bool { return p.Status().Endpoints[0].Subscribed })
	before := n.count("eth_chainId")
	n.drop()
	eventually(t, "a new connection with a subscription", func() bool {
		return n.connections() == 1 &&
			p.Status().Endpoints[0].Subscribed
	})
	if n.count("eth_chainId") <= before {
		t.Error("the chain ID was not asked for again")
	}
	// Another chain behind the same address is not used after a reconnection.
	n.set(func() { n.chainID = 5 })
	n.drop()
	eventually(t, "refused", func() bool { return p.Status().Endpoints[0].State == Refused })
	if _, err := p.BalanceAt(t.Context(), [20]byte{}, 0); err == nil {
		t.Error("it was read from another chain")
	}
}

func TestWebsocketWithoutSubscriptionsIsPolled(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	n.mute = true
	p := socketPool(t, n.url(), nil)
	running(t, p)
	eventually(t, "the first block", func() bool { h, ok := p.Known(); return ok && h.Number == 1000 })
	n.set(func() { n.head = 1020 })
	eventually(t, "the polled block", func() bool { h, _ := p.Known(); return h.Number == 1020 })
	if asked := n.count("eth_subscribe"); asked != 1 {
		t.Errorf("subscribed %d times", asked)
	}
}

func TestDeafWebsocketIsReplaced(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	p := socketPool(t, n.url(), func(o *Options) { o.CallTimeout = 200 * time.Millisecond })
	running(t, p)
	eventually(t, "the first block", func() bool { _, ok := p.Known(); return ok })
	n.mu.Lock()
	n.deaf = true
	n.mu.Unlock()
	eventually(t, "a failure", func() bool { return p.Status().Endpoints[0].Code != "" })
	n.mu.Lock()
	n.deaf = false
	n.mu.Unlock()
	n.set(func() { n.head = 1030 })
	eventually(t, "the new block", func() bool { h, _ := p.Known(); return h.Number == 1030 })
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.auth) < 2 {
		t.Error("the deaf connection was kept")
	}
}

// What the watching costs: one request per interval and endpoint, and with a subscription
// no more than one per fifth of an interval.
func TestCostOfWatching(t *testing.T) {
	t.Parallel()
	n := newSocketNode(t)
	p := socketPool(t, n.url(), func(o *Options) { o.PollInterval = 500 * time.Millisecond })
	running(t, p)
	eventually(t, "a subscription", func() bool { return p.Status().Endpoints[0].Subscribed })
	before := p.Calls()["eth_getBlockByNumber"]
	began := time.Now()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := range uint64(200) {
		<-tick.C
		n.mine(1001 + i/5) // no further than a chain may come between two polls
	}
	eventually(t, "the last block", func() bool { h, _ := p.Known(); return h.Number == 1040 })
	most := uint64(time.Since(began)/(100*time.Millisecond)) + 2
	if got := p.Calls()["eth_getBlockByNumber"] - before; got > most {
		t.Errorf("%d requests for 200 notices, at most %d are allowed", got, most)
	}
	if fmt.Sprint(p.Calls()["eth_chainId"]) != "1" {
		t.Error(p.Calls())
	}
}
