package chain

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// A quiet chain costs one log request per interval, and nothing else.
func TestQuietChain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
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
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			var published []bool
			defer c.Subscribe(func(e protocol.Event) {
				if s, ok := e.(protocol.StaleSeen); ok {
					published = append(published, s.Stale)
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
			if !slices.ContainsFunc(c.opt.Board.Snapshot(),
				func(o health.Condition) bool { return o.Code == fault.ChainStale }) {
				t.Errorf("conditions: %+v", c.opt.Board.Snapshot())
			}
			w.mine(0, w.bond(7))
			pass(6 * time.Second)
			if v := c.View(); v.Stale || v.Self.DelegatedStake.Cmp(core.NewLPT(7)) != 0 {
				t.Errorf("after a block: %+v", v)
			}
			if len(published) != 2 || !published[0] || published[1] {
				t.Errorf("published %v", published)
			}
		})
	})
}

// News that the endpoint client does not pass on are asked for.
func TestMissedNotification(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
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
		w := newWorld(addressOf(1))
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
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			var published []string
			defer c.Subscribe(func(e protocol.Event) {
				if l, ok := e.(protocol.LockSeen); ok {
					published = append(published, l.Lock.Amount.String())
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
			if fmt.Sprint(published) != "[5 0 5]" {
				t.Errorf("published %v", published)
			}
		})
	})
}

// Endpoints that refuse logs make it expensive, and not wrong.
func TestWithoutLogs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
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
		w := newWorld(addressOf(1))
		right := w.at.RoundsManager
		w.at.RoundsManager = core.Address{}
		w.run(func(c *Chain) {
			missing := func() bool {
				return slices.ContainsFunc(c.opt.Board.Snapshot(),
					func(o health.Condition) bool { return o.Code == fault.ContractMissing })
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

// What the Controller names otherwise than before is not used, and nothing is signed,
// until the operator confirms it.
func TestContractsMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(time.Second)
			w.mine(0, func(*truth) []types.Log {
				w.at.Minter = addressOf(222)
				return []types.Log{event(w.at.Controller, "SetContractInfo(bytes32,address,bytes20)", nil)}
			})
			pass(6 * time.Second)
			w.mine(0, nil)
			pass(6 * time.Second)
			if _, signs := c.Addresses(); signs || !errors.Is(c.Signable(), fault.ContractsChanged) ||
				c.Contracts()["Minter"] == addressOf(222) {
				t.Errorf("the change is taken over: signs %v, %v", signs, c.Signable())
			}
			trusted, seen := c.TrustedContracts()
			if err := c.ConfirmContracts(t.Context(), trusted); !errors.Is(err, fault.ContractsChanged) {
				t.Errorf("what is not answered is confirmed: %v", err)
			}
			if err := c.ConfirmContracts(t.Context(), seen); err != nil {
				t.Fatal(err)
			}
			pass(6 * time.Second)
			if _, signs := c.Addresses(); !signs || c.Contracts()["Minter"] != addressOf(222) {
				t.Errorf("the minter is at %v, signs %v", c.Contracts()["Minter"], signs)
			}
			if err := c.ConfirmContracts(t.Context(), seen); !errors.Is(err, fault.ContractsUnchanged) {
				t.Errorf("nothing changed: %v", err)
			}
		})
	})
}

// A known network's addresses need no answer, and another answer is a change.
func TestPinnedContracts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		pinned := w.at
		pinned.TicketBroker = addressOf(99)
		w.follow(w, func(c *Chain) {
			pass(6 * time.Second)
			if _, signs := c.Addresses(); signs || !errors.Is(c.Signable(), fault.ContractsChanged) {
				t.Error("the Controller's answer counts for more than the pinned address")
			}
		}, func(o *Options) { o.Network.Pinned = pinned })
	})
}

// A block's own work: no call, and far less than a millisecond.
func BenchmarkHead(b *testing.B) {
	w := newWorld(addressOf(1))
	c := New(Options{Client: w, Network: contracts.Network{ChainID: 7, Controller: w.at.Controller}, Account: w.me})
	f := newFollower(c)
	for range 3 {
		c.Subscribe(func(protocol.Event) {})
	}
	head := w.last().head
	f.onHead(b.Context(), head)
	f.stepIfDue(b.Context())
	if !f.known {
		b.Fatal("the world could not be read")
	}
	before := w.counted()
	for b.Loop() {
		head.Number++
		head.Parent, head.Hash = head.Hash, protocol.Hash{1, 24: byte(head.Number >> 24), 25: byte(head.Number >> 16),
			26: byte(head.Number >> 8), 27: byte(head.Number)}
		f.onHead(b.Context(), head)
		f.updateStale()
	}
	if fmt.Sprint(w.counted()) != fmt.Sprint(before) {
		b.Errorf("blocks cost calls: %v, before %v", w.counted(), before)
	}
}
