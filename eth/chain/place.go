package chain

import (
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts"
)

// member is an orchestrator in the pool and what its place depends on.
type member struct {
	who   core.Address
	stake core.LPT
}

// ranking is the pool, highest stake first.
type ranking []member

// move gives an orchestrator another stake and returns the pool after it, with the
// orchestrator's neighbours there. Without stake it leaves; a newcomer to a full
// pool of size enters only with more than the last member has, which then leaves.
// Who is not in the pool afterwards has no neighbours. Among equals it stands
// first, as the contract places it without a hint.
func (r ranking) move(who core.Address, stake core.LPT, size int) (ranking, contracts.Hints) {
	after := slices.DeleteFunc(slices.Clone(r), func(m member) bool { return m.who == who })
	if stake.IsZero() || size <= 0 {
		return after, contracts.Hints{}
	}
	if newcomer := len(after) == len(r); newcomer && len(after) >= size {
		last := len(after) - 1
		if stake.Cmp(after[last].stake) <= 0 {
			return after, contracts.Hints{}
		}
		after = after[:last]
	}
	at := after.rank(stake)
	after = slices.Insert(after, at, member{who, stake})
	return after, after.around(at)
}

// rank is the index at which a stake enters, before its equals.
func (r ranking) rank(stake core.LPT) int {
	for i, m := range r {
		if m.stake.Cmp(stake) <= 0 {
			return i
		}
	}
	return len(r)
}

// around are the neighbours of the entry at an index.
func (r ranking) around(at int) contracts.Hints {
	var h contracts.Hints
	if at > 0 {
		h.Prev = r[at-1].who
	}
	if at+1 < len(r) {
		h.Next = r[at+1].who
	}
	return h
}

// stake is a member's stake; false for who is none.
func (r ranking) stake(who core.Address) (core.LPT, bool) {
	for _, m := range r {
		if m.who == who {
			return m.stake, true
		}
	}
	return core.LPT{}, false
}
