package redeemer

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// lossShown is for how long a loss is reported: an operator who checks once a day sees it.
const lossShown = 24 * time.Hour

// updateConditions reports the redeemer that accepted tickets and does not redeem them.
func (w *PayoutWatcher) updateConditions(l *payoutPass) {
	w.condition(fault.HandedUnpaid, l.overdue.tickets > 0, fmt.Sprintf(
		"%s has %d tickets worth %s wei (%s ETH) and has not redeemed them; the first is lost after round %d",
		w.opt.Redeemer, l.overdue.tickets, l.overdue.value, l.overdue.value.Ether(), l.overdue.last))
}

// alertLost reports value that was lost within a day.
func (w *PayoutWatcher) alertLost(ctx context.Context) error {
	all, err := w.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired, pm.TicketFailed},
		Recipient: w.opt.Recipient, Limit: pageSize})
	if err != nil {
		return &ledgerError{err}
	}
	var sum core.Wei
	var last pm.Winner
	n, now := 0, w.opt.Now()
	for i := range all {
		if now.Sub(all[i].Since) >= lossShown {
			continue
		}
		n++
		sum = sum.Add(all[i].Ticket.FaceValue)
		if !all[i].Since.Before(last.Since) {
			last = all[i]
		}
	}
	w.condition(fault.TicketsLost, n > 0, fmt.Sprintf("%s ETH in %d tickets within a day, the last: %s", sum.Ether(), n,
		last.Reason))
	return nil
}

func (w *PayoutWatcher) condition(code fault.Code, holds bool, detail string) {
	if holds {
		w.opt.Board.Set(health.Key{Code: code}, detail)
	} else {
		w.opt.Board.Clear(health.Key{Code: code})
	}
}
