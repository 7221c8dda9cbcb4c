package chain

import (
	"slices"

	"github.com/tuttinode/tutti/core/protocol"
)

// state is what was read from the chain, as of Head. It is immutable once shared.
type state struct {
	Head     protocol.Head
	Round    protocol.RoundState
	Paused   bool
	PoolSize int
	Self     protocol.Orchestrator
	Balances protocol.Balances
	// Locks hold stake that is being unbonded; NextLock is the number of the next one.
	Locks    []protocol.UnbondingLock
	NextLock protocol.LockID
}

// atHead returns the state at a later head without reading the chain: round and activity follow from
// the head's height, the rest is unchanged.
func (s state) atHead(head protocol.Head) state {
	s.Head = head
	if head.L1 >= s.Round.Start {
		s.Round = roundAt(s.Round, head.L1)
	}
	if !s.Self.Address.IsZero() {
		s.Self = activeIn(s.Self, s.Round.Number)
	}
	return s
}

// view returns the state in the form of the ports of core/protocol.
func (s state) view(stale bool) *protocol.View {
	return &protocol.View{
		Head: s.Head, Round: s.Round, Self: s.Self, PoolSize: s.PoolSize, Balances: s.Balances,
		Stale: stale, Known: true,
	}
}

// changes returns the events for the differences between a state and a later one.
func changes(old, now state) []protocol.Event {
	var out []protocol.Event
	if old.Round != now.Round {
		out = append(out, protocol.RoundSeen{Round: now.Round})
	}
	if old.PoolSize != now.PoolSize {
		out = append(out, protocol.PoolSeen{Size: now.PoolSize})
	}
	if !sameOrchestrator(old.Self, now.Self) {
		out = append(out, protocol.SelfSeen{Orchestrator: now.Self})
	}
	if old.Self.ServiceURI != now.Self.ServiceURI {
		out = append(out, protocol.ServiceURISeen{URI: now.Self.ServiceURI})
	}
	return append(out, lockChanges(old.Locks, now.Locks)...)
}

// lockChanges returns an event for each lock that was added, changed or removed. A removed one has no
// amount.
func lockChanges(old, now []protocol.UnbondingLock) (out []protocol.Event) {
	for _, was := range old {
		if !slices.ContainsFunc(now, func(l protocol.UnbondingLock) bool { return l.ID == was.ID }) {
			out = append(out, protocol.LockSeen{Lock: protocol.UnbondingLock{ID: was.ID, Delegator: was.Delegator}})
		}
	}
	for _, lock := range now {
		if !slices.ContainsFunc(old, func(l protocol.UnbondingLock) bool { return sameLock(l, lock) }) {
			out = append(out, protocol.LockSeen{Lock: lock})
		}
	}
	return out
}

func sameLock(a, b protocol.UnbondingLock) bool {
	return a.ID == b.ID && a.Delegator == b.Delegator && a.WithdrawRound == b.WithdrawRound && a.Amount.Cmp(b.Amount) == 0
}

// sameOrchestrator compares by value. The stake holds a pointer, so == alone would not do.
func sameOrchestrator(a, b protocol.Orchestrator) bool {
	if a.DelegatedStake.Cmp(b.DelegatedStake) != 0 {
		return false
	}
	a.DelegatedStake = b.DelegatedStake
	return a == b
}

func sameFunds(a, b protocol.SenderFunds) bool {
	return a.Claimed.Cmp(b.Claimed) == 0 && a.WithdrawRound == b.WithdrawRound && a.Deposit.Cmp(b.Deposit) == 0 &&
		a.Reserve.FundsRemaining.Cmp(b.Reserve.FundsRemaining) == 0 &&
		a.Reserve.ClaimedInCurrentRound.Cmp(b.Reserve.ClaimedInCurrentRound) == 0
}
