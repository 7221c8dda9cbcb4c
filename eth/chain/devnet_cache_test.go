package chain_test

import (
	"errors"
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

func TestRestart(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	db := open(t, t.TempDir())
	n := start(t, c, c.Key(1), db)
	n.register(t, core.LPTTokens(10))
	n.send(t, protocol.SetServiceURI{URI: "https://o:8935"})
	round(t, c)
	eventually(t, "activity", func() bool { return n.View().Self.Active && n.View().Self.ServiceURI != "" })
	before := n.View()
	n.stop()

	// Another process rewards while the first is down.
	other := start(t, c, c.Key(1), nil)
	reward := other.send(t, protocol.Reward{})
	eventually(t, "the reward", func() bool {
		return count(other, func(r protocol.RewardSeen) bool { return r.Tx == reward.Hash }) == 1
	})
	other.stop()
	round(t, c)
	c.SetFaults(0, control.Fault{Kind: control.Hang})

	n = start(t, c, c.Key(1), db, func(o *chain.Options, _ *endpoint.Options) { o.StaleAfter = 300 * time.Millisecond })
	v := n.View()
	if !v.Known || !v.Stale || v.Head.Number != before.Head.Number || v.Self.ServiceURI != "https://o:8935" ||
		!v.Self.Active {
		t.Errorf("the remembered view is %+v", v)
	}
	eventually(t, "the condition", func() bool { return n.condition(fault.ChainStale) != "" })
	if n.Contracts()["BondingManager"].IsZero() || n.ChainID() == 0 {
		t.Errorf("conditions %v, contracts %v, chain %d", n.board.Snapshot(), n.Contracts(), n.ChainID())
	}
	c.SetFaults(0)
	eventually(t, "the present", func() bool {
		now := n.View()
		return !now.Stale && now.Round.Number == before.Round.Number+1 && now.Self.LastRewardRound == before.Round.Number
	})
	eventually(t, "the reward of before", func() bool {
		return count(n, func(r protocol.RewardSeen) bool {
			return r.Tx == reward.Hash &&
				r.Round == before.Round.Number
		}) == 1
	})
	n.stop()

	// What was published once is not published again.
	n = start(t, c, c.Key(1), db)
	eventually(t, "a view", func() bool { return !n.View().Stale })
	last := c.Mine(2)
	eventually(t, "another block", func() bool { return n.View().Head.Number >= last })
	if count[protocol.RewardSeen](n, nil) != 0 {
		t.Error("the reward is published again")
	}
}

func TestAnotherChainsDirectory(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	db := open(t, t.TempDir())
	n := start(t, c, nil, db)
	eventually(t, "a view", func() bool { return n.View().Known })
	n.stop()
	for name, with := range map[string]setup{
		"another network":  func(o *chain.Options, p *endpoint.Options) { o.Network.ChainID, p.ChainID = 54321, 54321 },
		"another protocol": func(o *chain.Options, _ *endpoint.Options) { o.Controller = core.Address{1} },
	} {
		n := start(t, c, nil, db, with)
		select {
		case err := <-n.ended:
			if !errors.Is(err, fault.ChainIDChanged) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s: the directory is used", name)
		}
		n.stop()
	}
	n = start(t, c, nil, db)
	eventually(t, "a view with the right one", func() bool { return !n.View().Stale && n.View().Known })
}
