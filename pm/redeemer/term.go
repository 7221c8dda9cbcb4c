package redeemer

import (
	"github.com/tuttinode/tutti/core/protocol"
)

// term is the time in which a ticket can be redeemed.
type term struct {
	// last is the last round, and until its last layer-1 block if rounds keep their length.
	last  protocol.Round
	until protocol.L1Block
	// over: the last round has passed. lastRound: it has begun. ending: it will be over soon.
	over, lastRound, ending bool
}

// termOf returns a ticket's term, computed in the present round.
func termOf(created, validity protocol.Round, now protocol.RoundState, l1 protocol.L1Block) term {
	t := term{last: created + max(validity, 1) - 1}
	if t.over = now.Number > t.last; t.over {
		return t
	}
	t.until = now.Start + protocol.L1Block(t.last-now.Number+1)*now.Length - 1
	t.lastRound = now.Number == t.last
	t.ending = l1+now.Length/4 >= t.until
	return t
}

// termOf returns a ticket's term at a snapshot, for callers that do not hold mu.
func (r *Redeemer) termOf(t *ticket, m *snapshot) term {
	return m.term(t, r.validityNow())
}

func (r *Redeemer) termLocked(t *ticket, m *snapshot) term {
	return m.term(t, r.validity.rounds)
}

// term returns a ticket's term. It ends before the recipient leaves the active set.
func (m *snapshot) term(t *ticket, validity protocol.Round) term {
	when := termOf(t.w.Ticket.CreationRound, validity, m.view.Round, m.l1())
	if m.leaving.Known() && !when.over && m.leaving.End <= when.until {
		when.until, when.lastRound = m.leaving.End-1, true
		when.ending = m.l1()+m.view.Round.Length/4 >= when.until
	}
	return when
}
