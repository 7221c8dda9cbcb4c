package redeemer_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// The random number is told a little after nobody here may use it any more, and whoever
// takes tickets has been told that.
func TestMarginAfterExpiry(t *testing.T) {
	var mu sync.Mutex
	var reached []protocol.L1Block
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		w := r.ticket(1, "0.1", 4+redeemer.Margin)
		h := r.win(w)
		r.blocks(4+redeemer.Margin-1, 1)
		r.settle()
		if r.sent(h) != 0 {
			t.Fatal("the random number was told at once")
		}
		mu.Lock()
		if len(reached) != 0 {
			t.Errorf("reached %v", reached)
		}
		mu.Unlock()
		r.blocks(1, 1)
		r.settle()
		r.is(h, pm.TicketFinal, "0.1")
		mu.Lock()
		defer mu.Unlock()
		if len(reached) == 0 || reached[0] != w.ExpirationBlock {
			t.Errorf("reached %v, want %d", reached, w.ExpirationBlock)
		}
	}, func(o *redeemer.Options) {
		chain := o.Chain.(*coretest.Chain)
		o.Reached = func(l1 protocol.L1Block) {
			mu.Lock()
			defer mu.Unlock()
			if len(chain.Sent()) != 0 {
				t.Error("told after the random number was")
			}
			reached = append(reached, l1)
		}
	})
}

// A winner that may not be redeemed yet takes of its sender's funds all the same.
func TestWonIsPending(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "1")
		sender := coretest.AddressOf(key(1))
		before, err := r.MaxFloat(context.Background(), sender)
		if err != nil || before.Cmp(ether("1")) != 0 {
			t.Fatal(before, err)
		}
		h := r.win(r.ticket(1, "0.5", 4))
		r.is(h, pm.TicketWon, "0")
		if got := r.Pending(sender); got.Cmp(ether("0.5")) != 0 {
			t.Errorf("%s ETH are pending", got.Ether())
		}
		if got, _ := r.MaxFloat(context.Background(), sender); got.Cmp(ether("0.5")) != 0 {
			t.Errorf("max float %s", got.Ether())
		}
		r.restart()
		if got := r.Pending(sender); got.Cmp(ether("0.5")) != 0 {
			t.Errorf("%s ETH are pending after a restart", got.Ether())
		}
		r.blocks(4, 1)
		r.settle()
		r.is(h, pm.TicketFinal, "0.5")
		if got := r.Pending(sender); !got.IsZero() {
			t.Errorf("%s ETH are pending of what was paid", got.Ether())
		}
	})
}

// strict is an actor that, as the real one, does nothing again before a failure is
// final, and that fails the first redemptions for want of gas.
type strict struct {
	*coretest.Chain
	mu     sync.Mutex
	opts   []protocol.SendOptions
	failed map[string]time.Time
}

func (s *strict) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	s.mu.Lock()
	at, known := s.failed[opt.Once]
	s.failed[opt.Once] = time.Now()
	s.opts = append(s.opts, opt)
	s.mu.Unlock()
	if known && time.Since(at) < 5*time.Minute {
		<-ctx.Done()
		return protocol.Transaction{}, ctx.Err()
	}
	return s.Chain.Send(ctx, a, opt)
}

// In a ticket's last round a failure that could still be undone is not waited for.
func TestFailureInTheLastRound(t *testing.T) {
	s := &strict{failed: make(map[string]time.Time)}
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		w := r.ticket(1, "0.1", 0)
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		v := r.chain.View()
		r.chain.AdvanceL1(v.Round.End() - v.Head.L1 - 4)
		r.chain.Hold(true)
		h := r.win(w)
		pass(10 * time.Second)
		r.fund(1, "0", "0") // what is in flight fails
		r.blocks(2, 0)
		r.is(h, pm.TicketQueued, "0")
		r.chain.Hold(false)
		r.fund(1, "1", "0")
		r.blocks(20, 0)
		if got := r.is(h, pm.TicketMined, "0.1"); r.sent(h) != 2 || got.Attempts != 2 {
			t.Errorf("sent %d times; %+v", r.sent(h), got)
		}
		r.settle()
		r.is(h, pm.TicketFinal, "0.1")
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, opt := range s.opts {
			if opt.MinGas != 525_000 || !strings.HasPrefix(opt.Once, "redeem "+h.String()) || i > 0 &&
				opt.Once == s.opts[0].Once {
				t.Errorf("%+v", opt)
			}
		}
	}, func(o *redeemer.Options) {
		s.Chain = o.Chain.(*coretest.Chain)
		o.Actor = s
	})
}

// After a restart the next attempt still is another one than that which failed.
func TestFailureThenRestart(t *testing.T) {
	s := &strict{failed: make(map[string]time.Time)}
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		h := r.win(r.ticket(1, "0.1", 0))
		pass(10 * time.Second)
		r.fund(1, "0", "0")
		r.blocks(2, 0)
		r.is(h, pm.TicketQueued, "0")
		r.chain.Hold(false)
		r.fund(1, "1", "0")
		r.restart()
		r.blocks(70, 0)
		if got := r.is(h, pm.TicketFinal, "0.1"); r.sent(h) != 2 {
			t.Errorf("sent %d times; %+v", r.sent(h), got)
		}
	}, func(o *redeemer.Options) {
		s.Chain = o.Chain.(*coretest.Chain)
		o.Actor = s
	})
}
