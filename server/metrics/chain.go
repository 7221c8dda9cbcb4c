package metrics

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/protocol"
)

// ChainState is a node's view of the chain at a scrape.
type ChainState struct {
	View protocol.View
	// Place is nil if it is unknown.
	Place *doctor.PoolRank
	// Orchestrator means that the node is one, so that its own record is shown.
	Orchestrator bool
	Gas          protocol.GasPrices
}

// WatchChain collects, at every scrape, the chain's head and round, the account's balances, and
// an orchestrator's stake and rank. Nothing is shown before the chain was read.
func (m *Metrics) WatchChain(source func() ChainState) error {
	l := &gaugeSet{}
	head := l.gauge("tutti_chain_head_block", "The newest layer-2 block that was seen.")
	layer1 := l.gauge("tutti_chain_layer1_block", "The layer-1 block that belongs to it.")
	at := l.gauge("tutti_chain_head_timestamp_seconds", "When that block was made.")
	stale := l.gauge("tutti_chain_stale", "1 while the chain is silent for longer than it ever is.")
	round := l.gauge("tutti_round", "The present round.")
	initialized := l.gauge("tutti_round_initialized", "1 once the present round is initialized.")
	ends := l.gauge("tutti_round_end_layer1_block", "The layer-1 block at which the present round ends.")
	balance := l.gauge("tutti_native_balance_gwei", "Money of the account that pays for transactions, in gwei.")
	token := l.gauge("tutti_token_balance_lpt", "Stake token that the account holds unbonded, in whole tokens.")
	self := newSelfSeries(l)
	l.look = func(send sender) {
		s := source()
		v := s.View
		if !v.Known {
			return
		}
		send(head, float64(v.Head.Number))
		send(layer1, float64(v.Head.L1))
		send(at, float64(v.Head.Time.UnixMilli())/1e3)
		send(stale, boolValue(v.Stale))
		send(round, float64(v.Round.Number))
		send(initialized, boolValue(v.Round.Initialized))
		send(ends, float64(v.Round.End()))
		send(balance, weiGwei(v.Balances.Ether))
		send(token, tokens(v.Balances.Token))
		if s.Orchestrator {
			self(send, &s)
		}
	}
	return m.Register(l)
}

// WatchGas shows, at every scrape, the prices of gas of one role's transactions. Nothing is
// shown before the chain was read.
func (m *Metrics) WatchGas(nodeType string, source func() ChainState) error {
	l := &gaugeSet{}
	suggested := l.gauge("livepeer_suggested_gas_price", "Price of gas that transactions would be sent with now, in gwei.")
	least := l.gauge("livepeer_min_gas_price", "The least that transactions are sent with, in gwei.")
	most := l.gauge("livepeer_max_gas_price", "The most that transactions are sent with, in gwei; 0 is no bound.")
	l.look = func(send sender) {
		s := source()
		if !s.View.Known {
			return
		}
		send(suggested, weiGwei(s.Gas.Current))
		send(least, weiGwei(s.Gas.Min))
		send(most, weiGwei(s.Gas.Max))
	}
	return m.base(nodeType).Register(l)
}

// newSelfSeries returns the series of an orchestrator's own record.
func newSelfSeries(l *gaugeSet) func(send sender, s *ChainState) {
	registered := l.gauge("tutti_registered", "1 for an orchestrator that is bonded to itself.")
	active := l.gauge("tutti_active", "1 for an orchestrator that is in the active set of this round.")
	stake := l.gauge("tutti_stake_lpt", "Stake delegated to the orchestrator, in whole tokens.")
	last := l.gauge("tutti_last_reward_round", "The last round for which reward was called.")
	rank := l.gauge("tutti_pool_rank", "The orchestrator's place in the pool, from 1; 0 outside.")
	members := l.gauge("tutti_pool_members", "Orchestrators in the pool.")
	size := l.gauge("tutti_pool_size", "Orchestrators that the pool takes.")
	margin := l.gauge("tutti_pool_margin_lpt", "By how many tokens the stake is above that of the pool's last member, "+
		"or below it.")
	return func(send sender, s *ChainState) {
		self := s.View.Self
		send(registered, boolValue(adminapi.PublicStateOf(self) != adminapi.PublicUnregistered))
		send(active, boolValue(self.Active))
		send(stake, tokens(self.DelegatedStake))
		send(last, float64(self.LastRewardRound))
		send(members, float64(s.View.PoolSize))
		p := s.Place
		if p == nil {
			return
		}
		send(rank, float64(p.Rank))
		send(size, float64(p.Size))
		amount, above := p.Margin()
		value := tokens(amount)
		if !above {
			value = -value
		}
		send(margin, value)
	}
}

// tokens returns an amount in whole tokens, as far as a float has it.
func tokens(l core.LPT) float64 {
	f, _ := new(big.Rat).SetFrac(l.Big(), core.LPTTokens(1).Big()).Float64()
	return f
}
