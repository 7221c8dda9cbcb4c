package ledgercrash

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/ledger"
)

// seen is what is in a ledger.
type seen struct {
	problems         []string
	tickets, winners map[protocol.Round]int64
}

// see reads a ledger.
func see(ctx context.Context, r *ledger.Reader) (s seen, err error) {
	report, err := r.Verify(ctx)
	if err != nil {
		return s, err
	}
	totals, err := r.Totals(ctx, ledger.Query{By: ledger.ByRound})
	if err != nil {
		return s, err
	}
	s = seen{report.Problems, make(map[protocol.Round]int64), make(map[protocol.Round]int64)}
	for _, total := range totals {
		s.tickets[total.Round], s.winners[total.Round] = total.Tickets, total.Winners
	}
	return s, nil
}

// problems compares a ledger with the attempts up to a moment.
func (h *history) problems(t *testing.T, r *ledger.Reader, at int) []string {
	t.Helper()
	s, err := see(t.Context(), r)
	if err != nil {
		return []string{err.Error()}
	}
	return h.compare(&s, at)
}

// compare compares what was seen with the attempts up to a moment.
func (h *history) compare(s *seen, at int) (out []string) {
	out = slices.Clone(s.problems)
	tickets, winners := maps.Clone(s.tickets), s.winners
	for _, p := range h.attempts {
		won := int64(0)
		if p.wins {
			won = 1
		}
		n, w := tickets[p.round], winners[p.round]
		delete(tickets, p.round)
		whole := n == int64(p.tickets) && w == won
		switch {
		case p.asked > at && (n != 0 || w != 0):
			out = append(out, fmt.Sprintf("payment %d is there before it was made", p.round))
		case p.answered >= 0 && p.answered <= at && !whole:
			out = append(out, fmt.Sprintf("payment %d was answered: %d of %d tickets and %d of %d winners are there", p.round,
				n, p.tickets, w, won))
		case !whole && (n != 0 || w != 0):
			out = append(out, fmt.Sprintf("payment %d: %d of %d tickets and %d of %d winners are there", p.round, n, p.tickets,
				w, won))
		}
	}
	for round, n := range tickets {
		if n != 0 {
			out = append(out, fmt.Sprintf("%d tickets of round %d are there without a payment", n, round))
		}
	}
	return out
}
