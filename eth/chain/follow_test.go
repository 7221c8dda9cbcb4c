package chain

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
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
		Client: w, Network: contracts.Network{ChainID: 7, Controller: w.at.Controller}, Account: w.me,
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
	funds, known := c.Watched(sender)
	switch {
	case !v.Known || v.Stale:
		return fmt.Sprintf("known %v, stale %v", v.Known, v.Stale)
	case v.Head.Hash != b.head.Hash:
		return fmt.Sprintf("head %d", v.Head.Number)
	case v.Round.Number != r.Number || v.Round.Initialized != r.Initialized || v.Round.Locked != r.Locked || v.Round.Start != r.Start || v.Round.LastInitialized != r.LastInitialized:
		return fmt.Sprintf("round %+v, want %+v", v.Round, r)
	case v.Self.DelegatedStake.Cmp(core.NewLPT(b.stake)) != 0 || v.Self.ServiceURI != b.uri:
		return fmt.Sprintf("self %+v, want stake %d", v.Self, b.stake)
	case v.PoolSize != b.pool:
		return fmt.Sprintf("pool %d, want %d", v.PoolSize, b.pool)
	case w.pausedOn(c) != b.paused:
		return fmt.Sprintf("paused %v", b.paused)
	case !known || funds.Deposit.Cmp(core.NewWei(b.deposit)) != 0:
		return fmt.Sprintf("funds %v, want %d", funds.Deposit, b.deposit)
	}
	return ""
}

// pausedOn reports whether the conditions say that the protocol is paused.
func (w *world) pausedOn(c *Chain) bool {
	return slices.ContainsFunc(c.opt.Board.Snapshot(), func(o health.Condition) bool { return o.Code == fault.ProtocolPaused })
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
	complaint := ""
	synctest.Test(t, func(*testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			locks := map[protocol.LockID]bool{}
			defer c.Subscribe(func(e protocol.Event) {
				if l, ok := e.(protocol.LockSeen); ok {
					locks[l.Lock.ID] = !l.Lock.Amount.IsZero()
				}
			})()
			c.Watch(who(50))
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
			complaint = w.differs(c, who(50))
			held := w.last().locks
			for id, here := range locks {
				if here != (held[uint64(id)] != 0) {
					complaint += fmt.Sprintf("; lock %d held %v", id, here)
				}
			}
		})
	})
	if complaint != "" {
		rt.Fatalf("the view differs: %s", complaint)
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

// hush keeps heads from being told.
func (w *world) hush(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hushed = on
}

// A quiet chain costs one log request per interval, and nothing else.
func TestQuietChain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			pass(10 * time.Second)
			before := w.counted()
			for range 240 {
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			after := w.counted()
			if logs := after["logs"] - before["logs"]; logs < 11 || logs > 14 {
				t.Errorf("%d log requests in a minute", logs)
			}
			for _, m := range []string{"batch", "balance", "head", "header"} {
				if more := after[m] - before[m]; more != 0 {
					t.Errorf("%d of %s for 240 blocks", more, m)
				}
			}
		})
	})
}

func (w *world) counted() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]int)
	for k, v := range w.calls {
		out[k] = v
	}
	return out
}

func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			var told []bool
			defer c.Subscribe(func(e protocol.Event) {
				if s, ok := e.(protocol.StaleSeen); ok {
					told = append(told, s.Stale)
				}
			})()
			pass(25 * time.Second)
			if c.View().Stale {
				t.Error("stale after 25 s")
			}
			pass(12 * time.Second)
			if v := c.View(); !v.Stale || !v.Known {
				t.Errorf("after 37 s without a block: %+v", v)
			}
			if !slices.ContainsFunc(c.opt.Board.Snapshot(), func(o health.Condition) bool { return o.Code == fault.ChainStale }) {
				t.Errorf("conditions: %+v", c.opt.Board.Snapshot())
			}
			w.mine(0, w.bond(7))
			pass(6 * time.Second)
			if v := c.View(); v.Stale || v.Self.DelegatedStake.Cmp(core.NewLPT(7)) != 0 {
				t.Errorf("after a block: %+v", v)
			}
			if len(told) != 2 || !told[0] || told[1] {
				t.Errorf("told %v", told)
			}
		})
	})
}

// News that the endpoint client does not pass on are asked for.
func TestMissedNotification(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			pass(time.Second)
			w.mu.Lock()
			w.down = true
			w.mu.Unlock()
			w.mine(0, w.join)
			w.mu.Lock()
			w.down = false
			w.mu.Unlock()
			pass(20 * time.Second)
			if v := c.View(); v.Head.Number != 2 || v.PoolSize != 1 || v.Stale {
				t.Errorf("%+v", v)
			}
		})
	})
}

func TestRewardsInTheirRounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			var rounds []protocol.Round
			defer c.Subscribe(func(e protocol.Event) {
				if r, ok := e.(protocol.RewardSeen); ok {
					rounds = append(rounds, r.Round)
				}
			})()
			pass(time.Second)
			w.mine(0, w.reward)
			w.mine(worldStart+worldLength+1, w.open(worldRound+1))
			w.mine(0, w.reward)
			w.mine(worldStart+4*worldLength, nil)
			pass(12 * time.Second)
			w.mine(0, nil)
			pass(12 * time.Second)
			if fmt.Sprint(rounds) != "[10 11]" {
				t.Errorf("rewards in rounds %v", rounds)
			}
			if v := c.View().Round; v.Number != 14 || v.Initialized || v.LastInitialized != 11 {
				t.Errorf("%+v", v)
			}
		})
	})
}

// A lock that was gone is there again when the block that took it is undone.
func TestLockComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			var told []string
			defer c.Subscribe(func(e protocol.Event) {
				if l, ok := e.(protocol.LockSeen); ok {
					told = append(told, l.Lock.Amount.String())
				}
			})()
			pass(time.Second)
			w.mine(0, w.unbond)
			pass(6 * time.Second)
			w.mine(0, w.withdraw)
			pass(6 * time.Second)
			w.reorganize(1)
			w.mine(0, nil)
			pass(6 * time.Second)
			if fmt.Sprint(told) != "[5 0 5]" {
				t.Errorf("told %v", told)
			}
		})
	})
}

// Endpoints that refuse logs make it dear, and not wrong.
func TestWithoutLogs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.refuses = true
		w.run(func(c *Chain) {
			pass(time.Second)
			w.mine(0, w.bond(4))
			w.mine(0, w.join)
			pass(11 * time.Second)
			if v := c.View(); v.Stale || v.PoolSize != 1 || v.Self.DelegatedStake.Cmp(core.NewLPT(4)) != 0 {
				t.Errorf("%+v", v)
			}
		})
	})
}

// A Controller that is none is a condition, and ends when it answers.
func TestNoController(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		right := w.at.RoundsManager
		w.at.RoundsManager = core.Address{}
		w.run(func(c *Chain) {
			missing := func() bool {
				return slices.ContainsFunc(c.opt.Board.Snapshot(), func(o health.Condition) bool { return o.Code == fault.ContractMissing })
			}
			pass(3 * time.Second)
			if !missing() || c.View().Known {
				t.Errorf("conditions %+v", c.opt.Board.Snapshot())
			}
			w.mu.Lock()
			w.at.RoundsManager = right
			w.mu.Unlock()
			pass(12 * time.Second)
			if missing() || !c.View().Known {
				t.Errorf("afterwards: conditions %+v", c.opt.Board.Snapshot())
			}
		})
	})
}

func TestContractsMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			pass(time.Second)
			w.mine(0, func(*truth) []types.Log {
				w.at.Minter = who(222)
				return []types.Log{event(w.at.Controller, "SetContractInfo(bytes32,address,bytes20)", nil)}
			})
			pass(6 * time.Second)
			w.mine(0, nil)
			pass(6 * time.Second)
			if got := c.Contracts()["Minter"]; got != who(222) {
				t.Errorf("the minter is at %v", got)
			}
		})
	})
}

// A block's own work: no call, and far less than a millisecond.
func BenchmarkHead(b *testing.B) {
	w := newWorld(who(1))
	c := New(Options{Client: w, Network: contracts.Network{ChainID: 7, Controller: w.at.Controller}, Account: w.me})
	f := newFollower(c)
	for range 3 {
		c.Subscribe(func(protocol.Event) {})
	}
	head := w.last().head
	f.see(b.Context(), head)
	f.work(b.Context())
	if !f.known {
		b.Fatal("the world could not be read")
	}
	before := w.counted()
	for b.Loop() {
		head.Number++
		head.Parent, head.Hash = head.Hash, protocol.Hash{1, 24: byte(head.Number >> 24), 25: byte(head.Number >> 16), 26: byte(head.Number >> 8), 27: byte(head.Number)}
		f.see(b.Context(), head)
		f.judgeStale()
	}
	if fmt.Sprint(w.counted()) != fmt.Sprint(before) {
		b.Errorf("blocks cost calls: %v, before %v", w.counted(), before)
	}
}
