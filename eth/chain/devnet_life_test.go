package chain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// condition is a condition's detail; "" when it is not set.
func (n *node) condition(code fault.Code) string {
	for _, c := range n.board.Snapshot() {
		if c.Code == code {
			return c.Detail
		}
	}
	return ""
}

// round goes to the next round, initialized.
func round(t *testing.T, c *devnet.Chain) control.Round {
	t.Helper()
	r, err := c.Control.NextRound(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// populate adds orchestrators of so many tokens each, growing by step.
func populate(t *testing.T, c *devnet.Chain, n uint64, base, step core.LPT) {
	t.Helper()
	if err := c.Control.Populate(t.Context(), control.Population{Orchestrators: n, Base: base, Step: step}); err != nil {
		t.Fatal(err)
	}
}

func TestEviction(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50, PoolSize: 3})
	n := start(t, c, c.Key(1), nil)
	n.register(t, core.LPTTokens(10))
	eventually(t, "joining the pool", func() bool {
		self := n.View().Self
		return self.Registered && !self.Active && self.ActivationRound > n.View().Round.Number
	})
	if text := n.condition(fault.InactiveOrchestrator); text != "" {
		t.Errorf("a condition for an orchestrator that waits for the next round: %s", text)
	}
	round(t, c)
	eventually(t, "activity", func() bool { return n.View().Self.Active && n.condition(fault.InactiveOrchestrator) == "" })
	eventually(t, "event that the service URI is unset", func() bool { return n.condition(fault.ServiceURIUnset) != "" })

	populate(t, c, 3, core.LPTTokens(20), core.LPTTokens(1))
	eventually(t, "eviction", func() bool {
		d := n.condition(fault.LeavingActiveSet)
		return strings.Contains(d, "10 LPT, rank 4") && strings.Contains(d, "the last of the 3 members has 20 LPT")
	})
	if v := n.View(); !v.Self.Active || v.PoolSize != 3 || v.Self.DeactivationRound != v.Round.Number+1 {
		t.Errorf("%+v", v)
	}
	round(t, c)
	eventually(t, "inactivity", func() bool {
		return n.condition(fault.LeavingActiveSet) == "" && strings.Contains(n.condition(fault.InactiveOrchestrator),
			"rank 4")
	})
	if _, err := n.Send(t.Context(), protocol.Reward{}, protocol.SendOptions{}); !errors.Is(err, fault.RewardNotDue) {
		t.Errorf("reward of an inactive one: %v", err)
	}
	n.register(t, core.LPTTokens(11))
	eventually(t, "the way back", func() bool { return n.View().Self.DeactivationRound == protocol.Never })
	pool, err := n.Pool(t.Context())
	if err != nil || len(pool) != 3 || !slices.ContainsFunc(pool,
		func(o protocol.Orchestrator) bool { return o.Address == n.Account() }) {
		t.Errorf("%d members, %v", len(pool), err)
	}
}

func TestReorganization(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	registrar, n := start(t, c, c.Key(1), nil), start(t, c, c.Key(1), nil)
	eventually(t, "a view", func() bool { return n.View().Known })
	c.Mine(3)
	registrar.register(t, core.LPTTokens(10))
	// A running one sends again what a reorg undoes.
	registrar.stop()
	eventually(t, "registration", func() bool { return n.View().Self.Registered })
	from := n.View().Head.Number
	if _, err := c.Control.Reorg(t.Context(), control.Reorg{Depth: 2, Forget: true}); err != nil {
		t.Fatal(err)
	}
	c.Mine(1)
	eventually(t, "the record of before", func() bool { return !n.View().Self.Registered })
	eventually(t, "event of the reorganization", func() bool {
		return count(n, func(r protocol.Reorganized) bool { return r.From <= from }) > 0
	})
}

func TestSendersAreWatched(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	n, gateway := start(t, c, nil, nil), start(t, c, c.Key(2), nil)
	addr := gateway.Account()
	n.Watch(addr)
	eventually(t, "nothing", func() bool {
		s, known := n.Watched(addr)
		return known && s.Deposit.IsZero()
	})
	gateway.send(t, protocol.FundDepositAndReserve{Deposit: core.NewWei(10), Reserve: core.NewWei(20)})
	eventually(t, "the funds", func() bool {
		s, _ := n.Watched(addr)
		return s.Deposit.Cmp(core.NewWei(10)) == 0 && s.Reserve.FundsRemaining.Cmp(core.NewWei(20)) == 0
	})
	gateway.send(t, protocol.Unlock{})
	eventually(t, "event of the unlock", func() bool {
		return count(n, func(s protocol.SenderSeen) bool { return s.Address == addr && s.Sender.WithdrawRound != 0 }) > 0
	})
	if _, err := n.Send(t.Context(), protocol.Unlock{}, protocol.SendOptions{}); !errors.Is(err, fault.AccountMissing) {
		t.Errorf("acting without an account: %v", err)
	}
}

// A gateway that funded itself can pay as soon as its transaction is mined, not at the next poll.
func TestOwnFundsAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	slow := func(o *chain.Options, p *endpoint.Options) { o.PollInterval, p.PollInterval = time.Minute, time.Minute }
	n := start(t, c, c.Key(2), nil, slow)
	eventually(t, "a view", func() bool { return n.View().Known })
	if f, err := n.SenderFunds(t.Context(), n.Account()); err != nil || !f.Deposit.IsZero() {
		t.Fatalf("before: %+v, %v", f, err)
	}
	n.send(t, protocol.FundDepositAndReserve{Deposit: core.NewWei(10), Reserve: core.NewWei(20)})
	if f, err := n.SenderFunds(t.Context(), n.Account()); err != nil || f.Deposit.Cmp(core.NewWei(10)) != 0 ||
		f.Reserve.FundsRemaining.Cmp(core.NewWei(20)) != 0 {
		t.Errorf("after: %+v, %v", f, err)
	}
}

func TestPauseAndALateRound(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 100})
	n := start(t, c, c.Key(1), nil)
	eventually(t, "a view", func() bool { return n.View().Known })
	if err := c.Control.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pause", func() bool { return n.condition(fault.ProtocolPaused) != "" })
	if _, err := n.Send(t.Context(), protocol.InitializeRound{}, protocol.SendOptions{}); !errors.Is(err,
		fault.ProtocolPaused) {
		t.Errorf("acting while paused: %v", err)
	}
	if err := c.Control.Unpause(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its end", func() bool { return n.condition(fault.ProtocolPaused) == "" })
	if _, err := c.Control.NextRound(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the round", func() bool { return !n.View().Round.Initialized })
	if d := n.condition(fault.RoundNotInitialized); d != "" {
		t.Errorf("a round that has just begun is a condition: %s", d)
	}
	c.AdvanceL1(30)
	eventually(t, "the late round", func() bool { return n.condition(fault.RoundNotInitialized) != "" })
	n.send(t, protocol.InitializeRound{})
	eventually(t, "its opening", func() bool {
		return n.View().Round.Initialized &&
			n.condition(fault.RoundNotInitialized) == ""
	})
}

func TestOutage(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50, BlockTime: 50 * time.Millisecond})
	n := start(t, c, c.Key(1), nil, func(o *chain.Options, _ *endpoint.Options) { o.StaleAfter = 700 * time.Millisecond })
	eventually(t, "a view", func() bool { return n.View().Known })
	c.SetFaults(0, control.Fault{Kind: control.Stop})
	eventually(t, "staleness", func() bool { return n.View().Stale && n.condition(fault.ChainStale) != "" })
	v := n.View()
	if !v.Known || v.Head.Number == 0 || v.Round.Number == 0 ||
		count(n, func(s protocol.StaleSeen) bool { return s.Stale }) == 0 {
		t.Errorf("%+v", v)
	}
	if err := c.Control.Fund(t.Context(), c.Info.Accounts[5], core.NewWei(1)); err != nil {
		t.Fatal(err)
	}
	round(t, c)
	c.SetFaults(0)
	eventually(t, "the end of it", func() bool {
		now := n.View()
		return !now.Stale && now.Round.Number == v.Round.Number+1 && now.Round.Initialized &&
			n.condition(fault.ChainStale) == ""
	})
	eventually(t, "event that it is over", func() bool {
		return count(n,
			func(s protocol.StaleSeen) bool { return !s.Stale }) > 0
	})
}

// Logs that never come are made good by the full reading.
func TestLostLogs(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	n := start(t, c, c.Key(1), nil, func(o *chain.Options, _ *endpoint.Options) { o.FullRead = 300 * time.Millisecond })
	other := start(t, c, c.Key(2), nil)
	eventually(t, "a view", func() bool { return n.View().Known })
	c.SetFaults(0, control.Fault{Kind: control.EmptyLogs})
	other.register(t, core.LPTTokens(5))
	eventually(t, "the pool's growth", func() bool { return n.View().PoolSize == 1 })
}

func TestWithoutAnyEndpoint(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	c.SetFaults(0, control.Fault{Kind: control.Stop})
	n := start(t, c, c.Key(1), nil, func(o *chain.Options, _ *endpoint.Options) { o.StaleAfter = 2 * time.Second })
	eventually(t, "the condition", func() bool {
		return strings.Contains(n.condition(fault.ChainStale), "nothing was read")
	})
	if n.View().Known || n.View().Stale || len(n.Contracts()) != 0 {
		t.Errorf("%+v", n.View())
	}
	if _, err := n.Round(t.Context()); err == nil {
		t.Error("a reading without an endpoint")
	}
	c.SetFaults(0)
	eventually(t, "a view", func() bool { return n.View().Known && len(n.board.Snapshot()) == 0 })
}
