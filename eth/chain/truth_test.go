package chain

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// run follows a world for as long as f takes.
func (w *world) run(f func(*Chain)) {
	c := New(Options{
		Client: w, Account: w.me,
		Network:      contracts.Network{ChainID: 7, Controller: w.at.Controller, L1BlockTime: w.blockTime},
		PollInterval: 5 * time.Second, FullRead: 5 * time.Minute,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Run(ctx, func() {})
	}()
	f(c)
	cancel()
	<-done
}

// pass lets time go by and everything come to rest.
func pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// differs says where the view is not the truth; "" when it is.
func (w *world) differs(c *Chain, sender core.Address) string {
	b, v := w.last(), c.View()
	r := b.round()
	funds, known := c.senders.funds(sender)
	switch {
	case !v.Known || v.Stale:
		return fmt.Sprintf("known %v, stale %v", v.Known, v.Stale)
	case v.Head.Hash != b.head.Hash:
		return fmt.Sprintf("head %d", v.Head.Number)
	case v.Round.Number != r.Number || v.Round.Initialized != r.Initialized || v.Round.Locked != r.Locked ||
		v.Round.Start != r.Start || v.Round.LastInitialized != r.LastInitialized:
		return fmt.Sprintf("round %+v, want %+v", v.Round, r)
	case v.Self.DelegatedStake.Cmp(core.NewLPT(b.stake)) != 0 || v.Self.ServiceURI != b.uri:
		return fmt.Sprintf("self %+v, want stake %d", v.Self, b.stake)
	case v.PoolSize != b.pool:
		return fmt.Sprintf("pool %d, want %d", v.PoolSize, b.pool)
	case w.pausedOn(c) != b.paused:
		return fmt.Sprintf("paused %v", b.paused)
	case !known || funds.Deposit.Cmp(core.NewWei(b.deposit)) != 0:
		return fmt.Sprintf("funds %v, want %d", funds.Deposit, b.deposit)
	case funds.Claimed.Cmp(core.NewWei(b.deposit/3)) != 0:
		return fmt.Sprintf("claimed %v, want %d", funds.Claimed, b.deposit/3)
	}
	return ""
}

// pausedOn reports whether the conditions say that the protocol is paused.
func (w *world) pausedOn(c *Chain) bool {
	return slices.ContainsFunc(c.opt.Board.Snapshot(),
		func(o health.Condition) bool { return o.Code == fault.ProtocolPaused })
}

// Whatever happens, the view is the truth a moment later: two polls where logs
// come, a full reading where they were lost.
func TestViewIsTheTruth(t *testing.T) {
	t.Parallel()
	const times = 6 // of the hundred cases that one check tries
	for range times {
		rapid.Check(t, func(rt *rapid.T) { viewIsTheTruth(t, rt) })
	}
}

func viewIsTheTruth(t *testing.T, rt *rapid.T) {
	steps := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 25).Draw(rt, "steps")
	amounts := rapid.SliceOfN(rapid.IntRange(1, 9), len(steps), len(steps)).Draw(rt, "amounts")
	difference := ""
	synctest.Test(t, func(*testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			locks := map[protocol.LockID]bool{}
			defer c.Subscribe(func(e protocol.Event) {
				if l, ok := e.(protocol.LockSeen); ok {
					locks[l.Lock.ID] = !l.Lock.Amount.IsZero()
				}
			})()
			c.Watch(addressOf(50))
			pass(time.Second)
			for i, s := range steps {
				w.happen(s, amounts[i])
			}
			w.mu.Lock()
			lost := w.noLogs
			w.failing, w.noLogs = min(w.failing, 3), false
			w.mu.Unlock()
			w.mine(0, nil)
			wait := 20 * time.Second
			if lost {
				wait = 6 * time.Minute
			}
			for range wait / (5 * time.Second) {
				pass(5 * time.Second)
				w.mine(0, nil)
			}
			pass(6 * time.Second)
			difference = w.differs(c, addressOf(50))
			held := w.last().locks
			for id, here := range locks {
				if here != (held[uint64(id)] != 0) {
					difference += fmt.Sprintf("; lock %d held %v", id, here)
				}
			}
		})
	})
	if difference != "" {
		rt.Fatalf("the view differs: %s", difference)
	}
}

// happen does one of the things that happen.
func (w *world) happen(what, amount int) {
	l1 := w.last().head.L1
	switch what {
	case 0:
		w.mine(l1+protocol.L1Block(amount*15), nil)
	case 1:
		w.mine(l1, w.bond(uint64(amount)))
	case 2:
		w.mine(l1, w.unbond)
	case 3:
		w.mine(l1, w.withdraw)
	case 4:
		w.mine(l1, w.join)
	case 5:
		w.mine(l1, w.open(w.last().round().Number))
	case 6:
		w.mine(l1, w.pause)
	case 7:
		w.mine(l1, w.fund)
	case 8:
		w.reorganize(amount)
		w.mine(0, nil)
	case 9:
		pass(time.Duration(amount) * time.Second)
	case 10:
		w.mu.Lock()
		w.failing = amount
		w.mu.Unlock()
	case 11:
		w.mu.Lock()
		w.noLogs = amount%3 == 0 || w.noLogs
		w.mu.Unlock()
		w.mine(l1, w.reward)
	case 12:
		// Another branch, of which only the newest block is heard: only the logs tell.
		w.hush(true)
		w.reorganize(amount)
		for range amount + 2 {
			w.mine(0, nil)
		}
		w.hush(false)
		w.mine(0, nil)
	}
}

// hush keeps heads from being published.
func (w *world) hush(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hushed = on
}
