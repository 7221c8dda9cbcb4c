package jobdiagnosis

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestratorstatus"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/reachability"
	"github.com/tuttinode/tutti/core/requeststats"
)

// Facts are what is known of a node at a moment. Parts that a node does not have, or
// does not know yet, are nil.
type Facts struct {
	Now, Started time.Time
	// Orchestrator: the node takes work, which -serviceAddr none and other roles do not.
	Orchestrator bool
	Offchain     bool
	Draining     bool
	// Standing is the node's place on the chain, Place the rank there.
	Standing *orchestratorstatus.Standing
	Place    *Place
	Address  *reachability.Status
	Work     Work
	Demand   requeststats.Report
	// Price is what a pixel costs everybody, in wei, nil where that is not known;
	// Free says that nothing is asked.
	Price *big.Rat
	// Conditions are the node's lasting troubles.
	Conditions []health.Condition
}

// Place is where an orchestrator stands among those that want to be active.
type Place struct {
	// Rank counts from 1; 0 is not in the pool. Members is how many are in it, Size how
	// many it takes.
	Rank, Members, Size int
	Stake               core.LPT
	// Last is the smallest stake in the pool.
	Last  core.LPT
	Round protocol.Round
	At    time.Time
}

// Margin is by how much the stake is above the last member's, or below it.
func (p *Place) Margin() (amount core.LPT, above bool) {
	if p.Stake.Cmp(p.Last) >= 0 {
		return p.Stake.Sub(p.Last), true
	}
	return p.Last.Sub(p.Stake), false
}

// Work is what the node can work with now.
type Work struct {
	// Transcodes and AI say which kinds it takes at all.
	Transcodes, AI bool
	// Devices are ready for media, of so many that there are.
	Devices, DevicesInAll int
	// Models can be had, of so many that are configured.
	Models, ModelsInAll int
	// Sessions are in use, of Limit; 0 is no limit but what is measured.
	Sessions, Limit int
}

// PlaceOf finds an orchestrator in the pool, which has the highest stake first.
func PlaceOf(pool []protocol.Orchestrator, self protocol.Orchestrator, size int) Place {
	p := Place{Members: len(pool), Size: size, Stake: self.DelegatedStake}
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
