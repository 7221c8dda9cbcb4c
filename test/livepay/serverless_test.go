package livepay

import (
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/trickle"
)

// scope is the model of the serverless runner.
var scope = inference.Model{Capability: capability.LiveVideoToVideo, ID: "scope"}

// scopePrice is what a pixel of it costs; there is no other price.
type scopePrice struct{ noPrices }

func (scopePrice) Model(_ core.Address, m inference.Model) (*big.Rat, bool) {
	return big.NewRat(10, 1), m == scope
}
func (scopePrice) Models() []inference.Model { return []inference.Model{scope} }

// newScope is a node with a serverless runner that takes one session.
func newScope(t *testing.T) (*node, *livevideo.Serverless) {
	t.Helper()
	n := newNode(t, 1e9)
	n.public.Close()
	n.opt.Prices = scopePrice{}
	n.rules.LiveInterval = time.Second
	n.start()
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"ready"}`)) // a reader that has gone ends the test
		_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"started"}`))
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	}))
	t.Cleanup(runner.Close)
	to, err := url.Parse("ws" + strings.TrimPrefix(runner.URL, "http"))
	if err != nil {
		t.Fatal(err)
	}
	s := livevideo.NewServerless(livevideo.ServerlessOptions{
		Hub: trickle.NewHub(trickle.Limits{}, time.Now), ServiceURI: service,
		Runner:   livevideo.ServerlessRunner{Model: scope, URL: to, Capacity: 1},
		Payments: orchestrator.ServerlessPayments{Paywall: n.wall}, Now: time.Now, Rand: n.dice, Log: n.opt.Log,
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+livevideo.ServerlessPath, s.Start)
	n.wall.Routes(mux)
	n.public.Close()
	n.public = httptest.NewServer(mux)
	t.Cleanup(n.public.Close)
	return n, s
}

// A session of the serverless model is charged by the second of 720p video under the id of its challenge, whatever
// manifest its credentials name. One that is paid no more ends, and one that got no slot costs nothing.
func TestServerlessIsPaid(t *testing.T) {
	t.Parallel()
	n, s := newScope(t)
	payer := n.payer(1)
	n.expect("without a payer", n.send("POST", "/scope", "{}", nil), http.StatusPaymentRequired,
		`{"error":{"message":"invalid live runner payment signer address"}}`+"\n")
	ask := n.send("POST", "/scope", "{}", named(payer.Account))
	var c challenge
	if err := json.Unmarshal([]byte(ask.body), &c); err != nil || ask.status != http.StatusPaymentRequired ||
		c.PaymentURL != service+"/payment" || len(c.Manifest) != 32 {
		t.Fatal(ask, err)
	}
	paying, err := payer.Open(c.Params, c.Manifest)
	if err != nil || !paying.Price().Equal(pm.Price{PerUnit: 10, PixelsPerUnit: 1}) {
		t.Fatal(err, paying.Price())
	}
	first := n.forManifest(n.paid(paying, 2*orchestrate.PixelsPerSecond), payer, "35_scope")
	begun := n.send("POST", "/scope", "{}", first)
	if begun.status != http.StatusOK || !strings.Contains(begun.body, `"manifest_id":"`+string(c.Manifest)+`"`) {
		t.Fatal(begun)
	}
	n.expect("the same again", n.send("POST", "/scope", "{}", first), http.StatusConflict, "")

	other := n.payer(3)
	o, otherPaying := n.challengeFor("POST", "/scope", "{}", other)
	n.expect("no slot", n.send("POST", "/scope", "{}", n.paid(otherPaying, orchestrate.PixelsPerSecond)),
		http.StatusServiceUnavailable, "insufficient capacity\n")
	if credited, units := n.credited(other, o.Manifest); units != 0 || credited.Sign() <= 0 {
		t.Errorf("without a slot %d units of %v were charged", units, credited)
	}

	n.expect("a further payment", n.send("POST", "/payment", "", n.paid(paying, orchestrate.PixelsPerSecond)),
		http.StatusOK, "")
	n.later(3 * time.Second)
	n.until("three seconds are charged", func() bool {
		_, units := n.credited(payer, c.Manifest)
		return units == 3*orchestrate.PixelsPerSecond
	})
	n.later(2 * time.Second)
	n.until("the session ends", func() bool { return s.Sessions() == 0 })
	if credited, units := n.credited(payer, c.Manifest); units > 3*orchestrate.PixelsPerSecond+100_000_000 {
		t.Errorf("%d units are charged of %v", units, credited)
	}
}

// until waits for a condition.
func (n *node) until(what string, ok func() bool) {
	n.t.Helper()
	deadline := time.After(20 * time.Second)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-deadline:
			n.t.Fatal("never: " + what)
		}
	}
}
