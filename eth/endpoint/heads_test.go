package endpoint

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// running runs a pool until the test ends.
func running(t *testing.T, p *Pool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	ready := make(chan struct{})
	go func() { done <- p.Run(ctx, func() { close(ready) }) }()
	<-ready
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestHeadIsNotPoisoned(t *testing.T) {
	t.Parallel()
	far, good := newFakeNode(t), newFakeNode(t)
	far.head, far.hashSalt = 90_000_000, 7
	p := poolOf(t, nil, far, good)
	// The far one is alone at first: no endpoint contradicts it.
	if head, err := p.Head(t.Context()); err != nil || head.Number != 90_000_000 {
		t.Fatalf("%v, %v", head, err)
	}
	if _, err := p.latest(t.Context(), p.remotes[1]); err != nil {
		t.Fatal(err)
	}
	// Now it has to agree with the other, and does not.
	if _, err := p.latest(t.Context(), p.remotes[0]); !errors.Is(err, fault.RPCWrongChain) {
		t.Fatalf("the far one is believed: %v", err)
	}
	if head, err := p.Head(t.Context()); err != nil || head.Number != 1000 {
		t.Fatalf("%v, %v", head, err)
	}
}

func TestLagIsNotContradiction(t *testing.T) {
	t.Parallel()
	late, good := newFakeNode(t), newFakeNode(t)
	late.head, good.head = 1000, 900_000
	p := poolOf(t, nil, late, good)
	for _, r := range p.remotes {
		if _, err := p.latest(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if head, _ := p.Known(); head.Number != 900_000 {
		t.Errorf("newest is %d", head.Number)
	}
}

// Who learned of block N is never answered by an endpoint behind N.
func TestLaggingEndpointDoesNotAnswer(t *testing.T) {
	t.Parallel()
	ahead, late := newFakeNode(t), newFakeNode(t)
	late.head = 990
	p := poolOf(t, nil, ahead, late)
	if head, err := p.Head(t.Context()); err != nil || head.Number != 1000 {
		t.Fatal(head, err)
	}
	ahead.Close()
	var asked sync.WaitGroup
	for name, ask := range map[string]func() error{
		"newest":   func() error { _, err := p.Head(t.Context()); return err },
		"balance":  func() error { _, err := p.BalanceAt(t.Context(), [20]byte{}, 0); return err },
		"at 1000":  func() error { _, err := p.BalanceAt(t.Context(), [20]byte{}, 1000); return err },
		"header":   func() error { _, err := p.HeaderByNumber(t.Context(), 1000); return err },
		"logs":     func() error { _, _, err := p.Logs(t.Context(), 995, 1000, LogFilter{}); return err },
		"contract": func() error { _, err := p.CallBatch(t.Context(), 0, calls(2)); return err },
	} {
		asked.Go(func() {
			if err := ask(); !errors.Is(err, fault.RPCBlockUnknown) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	asked.Wait()
	if late.count("eth_getBalance")+late.count("eth_getLogs")+late.count("eth_call") > 0 {
		t.Error("the one behind was asked")
	}
	late.set(func() { late.head = 1001 })
	if _, err := p.BalanceAt(t.Context(), [20]byte{}, 0); err != nil {
		t.Errorf("it caught up: %v", err)
	}
}

func TestHeadsStream(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := poolOf(t, nil, n)
	running(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	heads := p.Heads(ctx)
	if h := <-heads; h.Number != 1000 {
		t.Fatalf("first is %d", h.Number)
	}
	n.set(func() { n.head = 1005 })
	if h := <-heads; h.Number != 1005 || h.L1 != 1005/48 {
		t.Fatalf("second is %+v", h)
	}
	// A slow subscriber blocks no other, and gets the newest.
	for number := uint64(1006); number < 1010; number++ {
		n.set(func() { n.head = number })
		eventually(t, "the next block", func() bool { h, _ := p.Known(); return uint64(h.Number) == number })
	}
	if h := <-heads; h.Number != 1009 {
		t.Errorf("the newest is %d", h.Number)
	}
	cancel()
	for range heads {
		t.Error("a head after the end")
	}
}

func TestStartsWithoutEndpointsAndRecovers(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.whole = broken
	board := health.New(discard(), time.Now, health.EndpointCauses())
	p := poolOf(t, func(o *Options) { o.Board = board; o.Log = discard() }, n)
	running(t, p)
	has := func(code fault.Code) bool {
		for _, c := range board.Snapshot() {
			if c.Code == code {
				return true
			}
		}
		return false
	}
	eventually(t, "both conditions", func() bool { return has(fault.ChainUnavailable) && has(fault.RPCGarbage) })
	if v := board.Visible(); len(v) != 1 || v[0].Code != fault.ChainUnavailable {
		t.Errorf("the root cause hides nothing: %+v", v)
	}
	n.set(func() { n.whole = nil })
	eventually(t, "all clear", board.Healthy)
	n.set(func() { n.chainID = 1; n.whole = broken })
	eventually(t, "a condition", func() bool { return !board.Healthy() })
	n.set(func() { n.whole = nil })
	eventually(t, "layer 1 is named", func() bool { return has(fault.RPCLayerOne) })
	if s := p.Status(); s.Endpoints[0].State != Refused || s.Head.Number != protocol.L2Block(1000) {
		t.Errorf("status %+v", s)
	}
}

func TestStaleAndLagging(t *testing.T) {
	t.Parallel()
	fresh, late := newFakeNode(t), newFakeNode(t)
	fresh.head, late.head = 5000, 1000
	board := health.New(discard(), time.Now, nil)
	p := poolOf(t, func(o *Options) { o.Board = board; o.StaleAfter = 300 * time.Millisecond }, fresh, late)
	running(t, p)
	stale := func(name string) bool {
		for _, c := range board.Snapshot() {
			if c.Code == fault.RPCStale && c.About == name {
				return true
			}
		}
		return false
	}
	eventually(t, "the late one is stale", func() bool { return stale("b") })
	eventually(t, "the other stands still", func() bool { return stale("a") })
	fresh.set(func() { fresh.head = 5001 })
	eventually(t, "it moves", func() bool { return !stale("a") })
}

// A head that no endpoint comes near any more is taken back after a while, and
// not before.
func TestLostHeadIsWithdrawn(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.head = 50_000
	now := time.Unix(1_700_000_000, 0)
	p := poolOf(t, func(o *Options) { o.Now = func() time.Time { return now } }, n)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.set(func() { n.head = 100 })
	now = now.Add(time.Hour)
	for _, step := range []struct {
		after time.Duration
		want  protocol.L2Block
	}{{0, 50_000}, {withdrawAfter, 50_000}, {time.Second, 100}} {
		now = now.Add(step.after)
		if _, err := p.latest(t.Context(), p.remotes[0]); err != nil {
			t.Fatal(err)
		}
		if head, _ := p.Known(); head.Number != step.want {
			t.Errorf("after %v the newest is %d, want %d", step.after, head.Number, step.want)
		}
	}
}
