package main

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/figures"
)

// TestManyClientsOfAForeignGateway has 64 clients of one gateway of the network pay
// an orchestrator with tickets of one set of parameters after another. No request is
// refused for a nonce, and what the gateway paid for work that was done is what the
// orchestrator's books say.
func TestManyClientsOfAForeignGateway(t *testing.T) {
	ctx := t.Context()
	w, err := newWorld(ctx, bin, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := w.startOrchestrator(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := newDepositor(ctx, w.chain, 0)
	if err != nil {
		t.Fatal(err)
	}
	// A set of parameters lives for four seconds.
	s := settings{clients: 64, load: 6 * time.Second, l1: 100 * time.Millisecond}
	l, g, err := s.foreignLoad(ctx, w, p)
	if err != nil {
		t.Fatal(err)
	}
	c := &g.counts
	t.Logf("%d requests served with %d tickets of %d sets, %d posts, %d of them with expired parameters; p50 %.0f ms",
		l.served, c.tickets, g.wallet.sets, c.sent, c.expired, figures.Median(l.latency))
	if l.served < s.clients || c.nonces > 0 || l.failed > 0 || g.wallet.sets < 2 {
		t.Errorf("%d served, %d refused for nonces, %d given up: %v; %d sets", l.served, c.nonces, l.failed, c.failed,
			g.wallet.sets)
	}
	o := w.paid.orchestrator
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	if err := o.verify(ctx); err != nil {
		t.Error(err)
	}
	credited, tickets, err := o.credited(ctx, p.address.Hex())
	if err != nil {
		t.Fatal(err)
	}
	if credited.Cmp(&c.worth) != 0 {
		t.Errorf("%s wei are credited in %d tickets, %s were paid for work that was done", credited.FloatString(3), tickets,
			c.worth.FloatString(3))
	}
}
