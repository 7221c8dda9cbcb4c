package protocol_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

func initPlay(t *testing.T, delay time.Duration, scenes func(t *testing.T, c *coretest.Chain, board *health.Board)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := coretest.NewChain(core.Address{1}, core.Address{})
		board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
		i := protocol.NewRoundInitializer(protocol.RoundInitializerOptions{
			Rounds: c, Actor: c, Events: c, MaxDelay: delay, Rand: rand.New(rand.NewPCG(1, 2)), Board: board,
			Log: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = i.Run(ctx, func() {})
		}()
		synctest.Wait()
		scenes(t, c, board)
		cancel()
		<-done
	})
}

func TestEveryRound(t *testing.T) {
	initPlay(t, 30*time.Second, func(t *testing.T, c *coretest.Chain, _ *health.Board) {
		for n := 1; n <= 10; n++ {
			c.ToRound(c.View().Round.Number + 1)
			synctest.Wait()
			initPass(30 * time.Second)
			synctest.Wait()
			if !c.View().Round.Initialized || len(c.Sent()) != n {
				t.Fatalf("round %+v, %d calls", c.View().Round, len(c.Sent()))
			}
		}
	})
}

func TestLetsOthersPay(t *testing.T) {
	initPlay(t, time.Hour, func(t *testing.T, c *coretest.Chain, board *health.Board) {
		c.ToRound(c.View().Round.Number + 1)
		synctest.Wait()
		c.Open()
		initPass(time.Hour)
		synctest.Wait()
		if n := len(c.Sent()); n != 0 || len(board.Snapshot()) != 0 {
			t.Errorf("%d calls, conditions %v", n, board.Snapshot())
		}
	})
}

func TestLostRaceIsNoTrouble(t *testing.T) {
	initPlay(t, 0, func(t *testing.T, c *coretest.Chain, board *health.Board) {
		c.Refuse(func(protocol.Action) error {
			go c.Open()
			return fault.New(fault.ContractReverted, "send", "too late")
		})
		c.ToRound(c.View().Round.Number + 1)
		initPass(time.Hour)
		synctest.Wait()
		if len(board.Snapshot()) != 0 {
			t.Errorf("conditions %v", board.Snapshot())
		}
	})
}

func TestTriesAgain(t *testing.T) {
	initPlay(t, 0, func(t *testing.T, c *coretest.Chain, board *health.Board) {
		c.Refuse(func(protocol.Action) error { return fault.New(fault.GasMoneyMissing, "send", "no gas") })
		c.ToRound(c.View().Round.Number + 1)
		synctest.Wait()
		if s := board.Snapshot(); len(s) != 1 || s[0].Code != fault.RoundInitFailing {
			t.Fatalf("conditions %v", s)
		}
		c.Refuse(nil)
		initPass(time.Minute)
		synctest.Wait()
		if len(board.Snapshot()) != 0 || !c.View().Round.Initialized {
			t.Errorf("conditions %v, round %+v", board.Snapshot(), c.View().Round)
		}
	})
}

// initPass lets the bubble's time go by.
func initPass(d time.Duration) { <-time.After(d) }
