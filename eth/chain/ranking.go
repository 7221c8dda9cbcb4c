package chain

import (
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts"
)

// member is an orchestrator in the pool and the stake that decides its rank.
type member struct {
	address core.Address
	stake   core.LPT
}

// ranking is the pool, highest stake first.
type ranking []member

// move sets an orchestrator's stake and returns the pool after it, with the orchestrator's neighbors.
// Without stake it leaves. A new member of a full pool of size needs more than the last member has, which
// then leaves. An orchestrator outside the pool has no neighbors. Among equals it is first, as the contract
// inserts without a hint.
func (r ranking) move(addr core.Address, stake core.LPT, size int) (ranking, contracts.Hints) {
	after := slices.DeleteFunc(slices.Clone(r), func(m member) bool { return m.address == addr })
	if stake.IsZero() || size <= 0 {
		return after, contracts.Hints{}
	}
	if added := len(after) == len(r); added && len(after) >= size {
		last := len(after) - 1
		if stake.Cmp(after[last].stake) <= 0 {
			return after, contracts.Hints{}
		}
		after = after[:last]
	}
	at := after.rank(stake)
	after = slices.Insert(after, at, member{addr, stake})
	return after, after.neighbors(at)
}

// rank returns the index at which a stake is inserted, before its equals.
func (r ranking) rank(stake core.LPT) int {
	for i, m := range r {
		if m.stake.Cmp(stake) <= 0 {
			return i
		}
	}
	return len(r)
}

// neighbors returns those of the entry at an index.
func (r ranking) neighbors(at int) contracts.Hints {
	var h contracts.Hints
	if at > 0 {
		h.Prev = r[at-1].address
	}
	if at+1 < len(r) {
		h.Next = r[at+1].address
	}
	return h
}

// stake returns a member's stake; false for a non-member.
func (r ranking) stake(addr core.Address) (core.LPT, bool) {
	for _, m := range r {
		if m.address == addr {
			return m.stake, true
		}
	}
	return core.LPT{}, false
}
