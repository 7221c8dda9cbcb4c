package protocol_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

var (
	me    = core.Address{1}
	other = core.Address{2}
)

// scene is a reward service on a chain without a chain.
type scene struct {
	*coretest.Chain
	caller *protocol.RewardCaller
	board  *health.Board
	stop   func()
}

// play runs the service in a bubble of its own time.
func play(t *testing.T, mode protocol.RewardMode, account, self core.Address, prepare func(*coretest.Chain),
	scenes func(*testing.T, *scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{Chain: coretest.NewChain(account, self), board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
		if prepare != nil {
			prepare(s.Chain)
		}
		s.start(mode, self)
		defer func() { s.stop() }()
		synctest.Wait()
		scenes(t, s)
	})
}

// start begins the service, again after stop.
func (s *scene) start(mode protocol.RewardMode, self core.Address) {
	s.caller = protocol.NewRewardCaller(protocol.RewardOptions{
		Mode: mode, Orchestrator: self, Rounds: s.Chain, Stakes: s.Chain, Actor: s.Chain, Events: s.Chain,
		Now: time.Now, Board: s.board, Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.caller.Run(ctx, func() {})
	}()
	s.stop = func() { cancel(); <-done }
}

// next goes to the next round, which another account initializes.
func (s *scene) next() {
	s.ToRound(s.View().Round.Number + 1)
	s.Open()
	synctest.Wait()
}

func (s *scene) rewards() (n int) {
	for _, a := range s.Sent() {
		switch a.(type) {
		case protocol.Reward, protocol.RewardFor:
			n++
		}
	}
	return n
}

func (s *scene) has(code fault.Code) bool {
	for _, c := range s.board.Snapshot() {
		if c.Code == code {
			return true
		}
	}
	return false
}

func active(c *coretest.Chain) { c.Activate(me, core.LPTTokens(1000), "https://h.example.org:8935") }

func want(t *testing.T, s *scene, state protocol.RewardState, calls int) {
	t.Helper()
	if got := s.caller.Status(); got.State != state {
		t.Errorf("state %s (%s), want %s", got.State, got.Reason, state)
	}
	if got := s.rewards(); got != calls {
		t.Errorf("%d calls, want %d", got, calls)
	}
}

func TestOnceInEveryRound(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, active, func(t *testing.T, s *scene) {
		want(t, s, protocol.RewardDone, 1)
		for i := range 20 {
			s.next()
			pass(time.Hour)
			synctest.Wait()
			want(t, s, protocol.RewardDone, 2+i)
		}
		h := s.caller.Status().History
		if len(h) != 21 || h[0].Outcome != protocol.RewardCalled || h[0].Amount.IsZero() || h[0].Tx.IsZero() {
			t.Errorf("history of %d rounds begins with %+v", len(h), h[0])
		}
	})
}

func TestRestartInMidRound(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, nil, func(t *testing.T, s *scene) {
		want(t, s, protocol.RewardWaiting, 0)
		s.stop()
		active(s.Chain)
		s.Mine(100, 3) // the round is under way and its beginning was not seen
		s.start(protocol.RewardAuto, me)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 1)
		s.stop()
		s.start(protocol.RewardAuto, me)
		pass(time.Hour)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 1)
	})
}

func TestTriesUntilItSucceeds(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) {
		active(c)
		c.Refuse(func(protocol.Action) error { return fault.New(fault.GasMoneyMissing, "send", "0.01 ETH are missing") })
	}, func(t *testing.T, s *scene) {
		got := s.caller.Status()
		if got.State != protocol.RewardFailed || got.Code != fault.GasMoneyMissing || !s.has(fault.RewardFailing) ||
			got.NextTry.IsZero() {
			t.Fatalf("status %+v, conditions %v", got, s.board.Snapshot())
		}
		pass(10 * time.Minute)
		s.Refuse(nil)
		pass(protocol.MaxRewardRetry)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 1)
		if s.has(fault.RewardFailing) {
			t.Error("the condition stays")
		}
	})
}

func TestMissedRound(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) {
		active(c)
		c.Refuse(func(protocol.Action) error { return fault.New(fault.GasMoneyMissing, "send", "no gas") })
	}, func(t *testing.T, s *scene) {
		missed := s.View().Round.Number
		s.ToRound(missed + 1)
		synctest.Wait()
		s.Refuse(nil)
		s.Open()
		pass(protocol.MaxRewardRetry)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 1)
		h := s.caller.Status().History
		if len(h) != 2 || h[1].Round != missed || h[1].Outcome != protocol.RewardMissed || h[1].Reason != "no gas" {
			t.Fatalf("history %+v", h)
		}
		if !s.has(fault.RewardMissed) {
			t.Error("no word about the missed round")
		}
		s.next()
		if s.has(fault.RewardMissed) {
			t.Error("the condition outlives the round after")
		}
	})
}

func TestWaits(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) { c.Register(me, core.LPTTokens(1), "") },
		func(t *testing.T, s *scene) {
			want(t, s, protocol.RewardWaiting, 0) // registered, active in the next round
			s.ToRound(s.View().Round.Number + 1)
			synctest.Wait()
			want(t, s, protocol.RewardWaiting, 0) // active, and no account initialized the round
			s.Open()
			synctest.Wait()
			want(t, s, protocol.RewardDone, 1)
			if n := len(s.board.Snapshot()); n != 0 {
				t.Errorf("waiting made %d conditions", n)
			}
		})
}

func TestSomebodyElseWasQuicker(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) {
		active(c)
		if _, err := c.Send(context.Background(), protocol.Reward{}, protocol.SendOptions{}); err != nil {
			panic(err)
		}
	}, func(t *testing.T, s *scene) { want(t, s, protocol.RewardDone, 1) })
}

func TestRewardCaller(t *testing.T) {
	orchestrator := func(c *coretest.Chain) { c.Activate(other, core.LPTTokens(1000), "") }
	for _, mode := range []protocol.RewardMode{protocol.RewardAuto, protocol.RewardOn} {
		t.Run("not named/"+string(mode), func(t *testing.T) {
			play(t, mode, me, other, orchestrator, func(t *testing.T, s *scene) {
				want(t, s, protocol.RewardWaiting, 0)
				if s.has(fault.RewardNotAllowed) != (mode == protocol.RewardOn) {
					t.Errorf("conditions %v", s.board.Snapshot())
				}
			})
		})
	}
	t.Run("named", func(t *testing.T) {
		play(t, protocol.RewardOn, me, other, func(c *coretest.Chain) { orchestrator(c); c.NameRewardCaller(other, me) },
			func(t *testing.T, s *scene) {
				want(t, s, protocol.RewardDone, 1)
				if a, ok := s.Sent()[0].(protocol.RewardFor); !ok || a.Orchestrator != other {
					t.Errorf("sent %+v", s.Sent()[0])
				}
			})
	})
}

func TestOff(t *testing.T) {
	play(t, protocol.RewardOff, me, me, active, func(t *testing.T, s *scene) {
		s.next()
		pass(time.Hour)
		want(t, s, protocol.RewardStateOff, 0)
	})
}

func TestChainAway(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) {
		active(c)
		c.FailReads(fault.New(fault.ChainUnavailable, "read", ""))
	}, func(t *testing.T, s *scene) {
		pass(time.Hour)
		synctest.Wait()
		want(t, s, protocol.RewardFailed, 0)
		s.FailReads(nil)
		pass(protocol.MaxRewardRetry)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 1)
	})
}

// A round that this process did not even see was missed all the same.
func TestMissedWhileAway(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, active, func(t *testing.T, s *scene) {
		want(t, s, protocol.RewardDone, 1)
		s.stop()
		away := s.View().Round.Number + 1
		s.ToRound(away)
		s.Open()
		s.ToRound(away + 1)
		s.Open()
		s.start(protocol.RewardAuto, me)
		synctest.Wait()
		want(t, s, protocol.RewardDone, 2)
		h := s.caller.Status().History
		if len(h) != 2 || h[1].Round != away || h[1].Outcome != protocol.RewardMissed || !s.has(fault.RewardMissed) {
			t.Errorf("history %+v, conditions %v", h, s.board.Snapshot())
		}
	})
}

// An orchestrator outside the active set misses nothing, however long the chain was away.
func TestNothingToMiss(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, nil, func(t *testing.T, s *scene) {
		s.FailReads(fault.New(fault.ChainUnavailable, "read", ""))
		s.ToRound(s.View().Round.Number + 1)
		s.Open()
		pass(time.Hour)
		s.FailReads(nil)
		pass(time.Hour)
		synctest.Wait()
		want(t, s, protocol.RewardWaiting, 0)
		if len(s.board.Snapshot()) != 0 || len(s.caller.Status().History) != 0 {
			t.Errorf("conditions %v, history %+v", s.board.Snapshot(), s.caller.Status().History)
		}
	})
}

// A call that is mined after its round ended counts for the next round, and the
// one that it was meant for is missed.
func TestMinedInTheNextRound(t *testing.T) {
	play(t, protocol.RewardAuto, me, me, func(c *coretest.Chain) { active(c); c.Hold(true) }, func(t *testing.T,
		s *scene) {
		meant := s.View().Round.Number
		s.ToRound(meant + 1) // mines what was held, in the new round
		s.Open()
		s.Hold(false)
		s.Mine(1, 0)
		pass(time.Minute)
		synctest.Wait()
		st := s.caller.Status()
		last := s.View().Self.LastRewardRound
		for _, h := range st.History {
			if (h.Outcome == protocol.RewardCalled) != (h.Round == last) {
				t.Errorf("round %d is told as %s, and the chain's last is %d", h.Round, h.Outcome, last)
			}
		}
		if s.rewards() > 2 {
			t.Errorf("%d calls", s.rewards())
		}
	})
}

// memory is a Memory in memory.
type memory map[protocol.Round]protocol.PastReward

func (m memory) Load(context.Context, int) ([]protocol.PastReward, error) {
	var out []protocol.PastReward
	for _, p := range m {
		out = append(out, p)
	}
	return out, nil
}

func (m memory) Save(_ context.Context, p protocol.PastReward, _ protocol.Round) error {
	m[p.Round] = p
	return nil
}

func TestHistoryOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memory{}
		chain := coretest.NewChain(me, core.Address{})
		active(chain)
		for range 2 {
			c := protocol.NewRewardCaller(protocol.RewardOptions{
				Mode: protocol.RewardAuto, Orchestrator: me, Rounds: chain, Stakes: chain, Actor: chain, Events: chain, Memory: m,
				Now: time.Now, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil), Log: slog.New(slog.DiscardHandler),
			})
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() { defer close(done); _ = c.Run(ctx, func() {}) }()
			pass(time.Hour)
			h := c.Status().History
			if len(h) != 1 || h[0].Tx.IsZero() || h[0].Amount.IsZero() {
				t.Errorf("history %+v", h)
			}
			cancel()
			<-done
		}
	})
}

// pass lets the bubble's time go by.
func pass(d time.Duration) { <-time.After(d) }
