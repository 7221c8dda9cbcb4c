package protocol_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

// loser is an actor whose first call of a round was final, and which the chain lost: it finds that call by its name.
type loser struct {
	*coretest.Chain
	lost  string
	asked int
}

func (l *loser) Send(ctx context.Context, a protocol.Action, o protocol.SendOptions) (protocol.Transaction, error) {
	if l.asked++; l.lost == "" {
		l.lost = o.Once
	}
	if o.Once == l.lost {
		return protocol.Transaction{ID: 1000, Once: o.Once, Hash: protocol.TxHash{1}, State: protocol.TxFinal}, nil
	}
	return l.Chain.Send(ctx, a, o)
}

// A call that counted as final, and that the chain does not show, by a deep reorganization or an endpoint's false
// receipt, is made again: the round's reward would be lost otherwise.
func TestALostCallIsMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chain := coretest.NewChain(me, core.Address{})
		active(chain)
		actor := &loser{Chain: chain}
		c := protocol.NewRewardCaller(protocol.RewardOptions{
			Mode: protocol.RewardAuto, Orchestrator: me, Rounds: chain, Stakes: chain, Actor: actor, Events: chain,
			Now: time.Now, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil), Log: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); _ = c.Run(ctx, func() {}) }()
		defer func() { cancel(); <-done }()
		pass(10 * time.Minute)
		synctest.Wait()
		if got := c.Status(); got.State != protocol.RewardDone || len(chain.Sent()) != 1 {
			t.Fatalf("%d calls in %d attempts, status %+v", len(chain.Sent()), actor.asked, got)
		}
		if all := chain.Transactions(); !strings.HasPrefix(all[0].Once, actor.lost) || all[0].Once == actor.lost {
			t.Errorf("the second call is named %q", all[0].Once)
		}
	})
}

// The call that initializes a round is made again in the same case.
func TestALostInitializationIsMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chain := coretest.NewChain(me, core.Address{})
		actor := &loser{Chain: chain}
		i := protocol.NewRoundInitializer(protocol.RoundInitializerOptions{
			Rounds: chain, Actor: actor, Events: chain, Rand: rand.New(rand.NewPCG(1, 2)),
			Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil), Log: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); _ = i.Run(ctx, func() {}) }()
		defer func() { cancel(); <-done }()
		chain.ToRound(chain.View().Round.Number + 1)
		pass(10 * time.Minute)
		synctest.Wait()
		if !chain.View().Round.Initialized || len(chain.Sent()) != 1 {
			t.Errorf("%d calls in %d attempts, round %+v", len(chain.Sent()), actor.asked, chain.View().Round)
		}
	})
}
