package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/procfs"
)

// loadTokens make every second request need two tickets and the others one.
const loadTokens = tokensPerTicket * 3 / 2

// foreign is the load of a gateway written from the network's protocol.
func (s settings) foreign(ctx context.Context, w *world) error {
	p, err := newDepositor(ctx, w.chain, 0)
	if err != nil {
		return err
	}
	l, g, err := s.foreignLoad(ctx, w, p)
	if err != nil {
		return err
	}
	l.print(s, "paid llm, a gateway written from the protocol")
	fmt.Fprintf(s.out, "  %d posts, %d of them refused for a nonce (asked 0), %d for expired parameters and tried "+
		"again; %d tickets of %d sets\n",
		g.counts.sent, g.counts.nonces, g.counts.expired, g.counts.tickets, g.wallet.sets)
	for text, n := range g.counts.failed {
		fmt.Fprintf(s.out, "  given up %d: %.200s\n", n, text)
	}
	fmt.Fprintln(s.out)
	if g.counts.nonces > 0 {
		return fmt.Errorf("%d requests were refused for nonces", g.counts.nonces)
	}
	return nil
}

// foreignLoad lets the clients of one such gateway ask, while the chain's clock goes
// as the settings say.
func (s settings) foreignLoad(ctx context.Context, w *world, p *payer) (*load, *foreignGateway, error) {
	g, err := newForeignGateway(p, w.paid.orchestrator.front, loadTokens)
	if err != nil {
		return nil, nil, err
	}
	if err := w.clock(ctx, s.l1); err != nil {
		return nil, nil, errors.Join(err, g.close())
	}
	follow, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { w.follow(follow, g) })
	err = w.paid.orchestrator.wait(ctx, "a usable offer", 30*time.Second,
		func() error { return g.refresh(ctx, g.wallet.current()) })
	var l *load
	if err == nil {
		profiled := s.inBackground(ctx, w, "foreign")
		l = drive(ctx, s.clients, s.load, w.paid.orchestrator.pid(), g.ask)
		err = profiled()
	}
	stop()
	wg.Wait()
	return l, g, errors.Join(err, g.close(), w.clock(ctx, slowL1))
}

// follow tells a gateway about new blocks.
func (w *world) follow(ctx context.Context, g *foreignGateway) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if r, err := w.chain.Control.Round(ctx); err == nil {
			g.l1.Store(uint64(r.L1Block))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// own is the load of tutti's own gateway.
func (s settings) own(ctx context.Context, w *world) error {
	if err := w.clock(ctx, s.l1); err != nil {
		return err
	}
	c := newChat(w.paid.gateway)
	profiled := s.inBackground(ctx, w, "own")
	body := plainBody(loadTokens)
	l := drive(ctx, s.clients, s.load, w.paid.orchestrator.pid(),
		func(ctx context.Context) error { return c.ask(ctx, body, nil) })
	err := profiled()
	l.print(s, "paid llm, tutti's own gateway")
	if l.last != nil {
		fmt.Fprintf(s.out, "  last failure: %.300s\n", l.last)
	}
	fmt.Fprintf(s.out, "  the gateway holds %.1f MB at the end\n\n", float64(procfs.Resident(w.paid.gateway.pid()))/1e6)
	return errors.Join(err, w.clock(ctx, slowL1))
}
