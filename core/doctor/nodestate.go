package doctor

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/requeststats"
)

// NodeState is a snapshot of a node. Parts that the node does not have or know are nil.
type NodeState struct {
	Now, Started time.Time
	// Orchestrator: the node takes work; false with -serviceAddr none and other roles.
	Orchestrator bool
	Offchain     bool
	Draining     bool
	// Status is the orchestrator's status on the chain, PoolRank its rank by stake.
	Status       *adminapi.PublicStatus
	PoolRank     *PoolRank
	Address      *Reachability
	Work         Capacity
	RequestStats requeststats.Report
	// Price is the general price of a pixel in wei, nil if unknown or 0.
	Price *big.Rat
	// Conditions are those of the health board.
	Conditions []health.Condition
}

// PoolRank is an orchestrator's rank in the pool of the active set.
type PoolRank struct {
	// Rank counts from 1; 0 is not in the pool. Members is how many are in it, Size its
	// maximum.
	Rank, Members, Size int
	Stake               core.LPT
	// Last is the smallest stake in the pool.
	Last  core.LPT
	Round protocol.Round
	At    time.Time
}

// Margin returns the difference between the stake and the last member's.
func (p *PoolRank) Margin() (amount core.LPT, above bool) {
	if p.Stake.Cmp(p.Last) >= 0 {
		return p.Stake.Sub(p.Last), true
	}
	return p.Last.Sub(p.Stake), false
}

// Capacity is the node's present capacity.
type Capacity struct {
	// Transcodes and AI are the kinds of work that it is configured for.
	Transcodes, AI bool
	// Devices are ready for media, of DevicesTotal.
	Devices, DevicesTotal int
	// Models are available, of ModelsTotal that are configured.
	Models, ModelsTotal int
	// Sessions are in use, of Limit; 0 is no fixed limit.
	Sessions, Limit int
}

// PoolRankOf finds an orchestrator in the pool, which is sorted by falling stake.
func PoolRankOf(pool []protocol.Orchestrator, self protocol.Orchestrator, size int) PoolRank {
	p := PoolRank{Members: len(pool), Size: size, Stake: self.DelegatedStake}
	for i := range pool {
		if pool[i].Address == self.Address {
			p.Rank, p.Stake = i+1, pool[i].DelegatedStake
		}
	}
	if len(pool) > 0 {
		p.Last = pool[len(pool)-1].DelegatedStake
	}
	return p
}
