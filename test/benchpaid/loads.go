package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
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
	fmt.Fprintf(s.out, "  %d posts, %d of them refused for a nonce (asked 0), %d for expired parameters and tried again; %d tickets of %d sets\n",
		g.counts.sent, g.counts.nonces, g.counts.expired, g.counts.tickets, g.purse.sets)
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
	err = w.paid.orchestrator.wait(ctx, "a usable offer", 30*time.Second, func() error { return g.refresh(ctx, g.purse.current()) })
	var l *load
	if err == nil {
		wg.Go(func() { err = s.profiles(ctx, w, "foreign") })
		l = drive(ctx, s.clients, s.load, w.paid.orchestrator.pid(), g.ask)
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
	var (
		wg  sync.WaitGroup
		err error
	)
	wg.Go(func() { err = s.profiles(ctx, w, "own") })
	body := plainBody(loadTokens)
	l := drive(ctx, s.clients, s.load, w.paid.orchestrator.pid(), func(ctx context.Context) error { return c.ask(ctx, body, nil) })
	wg.Wait()
	l.print(s, "paid llm, tutti's own gateway")
	if l.last != nil {
		fmt.Fprintf(s.out, "  last failure: %.300s\n", l.last)
	}
	fmt.Fprintf(s.out, "  the gateway holds %.1f MB at the end\n\n", resident(w.paid.gateway.pid()))
	return errors.Join(err, w.clock(ctx, slowL1))
}

// profiles writes CPU profiles of the paid pair, where they are asked for.
func (s settings) profiles(ctx context.Context, w *world, name string) error {
	if s.profile == "" {
		return nil
	}
	var (
		wg   sync.WaitGroup
		errs [2]error
	)
	for i, n := range []*node{w.paid.orchestrator, w.paid.gateway} {
		wg.Go(func() {
			path := filepath.Join(s.profile, name+"-"+strings.ReplaceAll(n.name, " ", "-")+".pprof")
			errs[i] = n.profile(ctx, path, int(s.load.Seconds()*0.8))
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// profile writes what a process does with its CPU time for some seconds.
func (n *node) profile(ctx context.Context, path string, seconds int) error {
	token, err := os.ReadFile(filepath.Join(n.dir, "admin.token"))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", n.admin, max(1, seconds)), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("profile of the %s: %s: %s", n.name, resp.Status, text)
	}
	return errors.Join(err, os.WriteFile(path, text, 0o600))
}
