package chain_test

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/devnet"
)

// The contract takes the hints: joining the middle of a pool costs what joining an
// empty one does, and not a search.
func TestHintsSaveGas(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 1000})
	populate(t, c, 60, core.LPTTokens(100), core.LPTTokens(1))
	round(t, c)
	n := start(t, c, c.Key(1), nil)
	stake := core.LPTTokens(130)
	n.send(t, protocol.Approve{Amount: stake})
	at, _ := n.Addresses()
	plain := contracts.NewCalls(at).Bond(stake, n.Account(), contracts.BondHints{})
	to := plain.To()
	searched, err := n.pool.EstimateGas(t.Context(), ethereum.CallMsg{From: common.Address(n.Account()), To: &to,
		Data: plain.Data()})
	if err != nil {
		t.Fatal(err)
	}
	tx := n.send(t, protocol.Bond{Amount: stake, To: n.Account()})
	if tx.Gas+50_000 > searched {
		t.Errorf("with hints the bond took %d gas, a search %d", tx.Gas, searched)
	}
	pool, err := n.Pool(t.Context())
	if err != nil || len(pool) != 61 {
		t.Fatalf("%d members, %v", len(pool), err)
	}
	// The stakes are 159 down to 100; 130 comes before its equal, or after it.
	if i := indexOf(pool, n.Account()); i != 29 && i != 30 {
		t.Errorf("it is number %d", i)
	}
}

func indexOf(pool []protocol.Orchestrator, addr core.Address) int {
	for i, o := range pool {
		if o.Address == addr {
			return i
		}
	}
	return -1
}

// An account that works for another orchestrator calls reward for that one.
func TestRewardCaller(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 50})
	cold := start(t, c, c.Key(1), nil)
	cold.register(t, core.LPTTokens(10))
	round(t, c)
	hot := start(t, c, c.Key(2), nil, func(o *chain.Options, _ *endpoint.Options) { o.Orchestrator = cold.Account() })
	if _, err := hot.Send(t.Context(), protocol.Reward{}, protocol.SendOptions{}); !errors.Is(err,
		fault.RewardCallerRefused) {
		t.Errorf("without being named: %v", err)
	}
	cold.send(t, protocol.SetRewardCaller{Caller: hot.Account()})
	tx := hot.send(t, protocol.Reward{})
	eventually(t, "the reward", func() bool {
		return count(hot, func(r protocol.RewardSeen) bool { return r.Tx == tx.Hash }) == 1
	})
	self := hot.View().Self
	if self.Address != cold.Account() || self.RewardCaller != hot.Account() ||
		self.LastRewardRound != hot.View().Round.Number {
		t.Errorf("%+v", self)
	}
	// What may happen once is followed, also when it could not happen again.
	once := protocol.SendOptions{Once: "reward"}
	round(t, c)
	first, err := hot.Send(t.Context(), protocol.Reward{}, once)
	if err != nil {
		t.Fatal(err)
	}
	second, err := hot.Send(t.Context(), protocol.Reward{}, once)
	if err != nil || second.ID != first.ID {
		t.Errorf("again: %+v, %v", second, err)
	}
}
