package ledgercrash

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/ledger"
)

// problems compares a ledger with what was told up to a moment.
func (h *history) problems(t *testing.T, r *ledger.Reader, at int) (out []string) {
	t.Helper()
	report, err := r.Verify(t.Context())
	if err != nil {
		return []string{err.Error()}
	}
	out = append(out, report.Problems...)
	totals, err := r.Totals(t.Context(), ledger.Query{By: ledger.ByRound})
	if err != nil {
		return append(out, err.Error())
	}
	tickets, winners := make(map[protocol.Round]int64), make(map[protocol.Round]int64)
	for _, total := range totals {
		tickets[total.Round], winners[total.Round] = total.Tickets, total.Winners
	}
	for _, p := range h.told {
		won := int64(0)
		if p.wins {
			won = 1
		}
		n, w := tickets[p.round], winners[p.round]
		delete(tickets, p.round)
		delete(winners, p.round)
		whole := n == int64(p.tickets) && w == won
		switch {
		case p.asked > at && (n != 0 || w != 0):
			out = append(out, fmt.Sprintf("payment %d is there before it was made", p.round))
		case p.answered >= 0 && p.answered <= at && !whole:
			out = append(out, fmt.Sprintf("payment %d was answered: %d of %d tickets and %d of %d winners are there", p.round, n, p.tickets, w, won))
		case !whole && (n != 0 || w != 0):
			out = append(out, fmt.Sprintf("payment %d: %d of %d tickets and %d of %d winners are there", p.round, n, p.tickets, w, won))
		}
	}
	for round, n := range tickets {
		if n != 0 {
			out = append(out, fmt.Sprintf("%d tickets of round %d are there, and nobody paid them", n, round))
		}
	}
	return out
}
