package redeemer

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// lossShownFor is for how long a loss is reported: an operator who checks once a day sees it.
const lossShownFor = 24 * time.Hour

// lostTicket is a ticket that ended without payment.
type lostTicket struct {
	at     time.Time
	value  core.Wei
	reason string
}

// logLevel returns the log level of a ticket's new state.
func logLevel(s pm.TicketState) slog.Level {
	if s == pm.TicketExpired || s == pm.TicketFailed {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// recordLossLocked records a ticket that ended without payment, and drops one that was queued
// again.
func (r *Redeemer) recordLossLocked(w *pm.Winner) {
	if logLevel(w.State) == slog.LevelInfo {
		delete(r.losses, w.Hash)
		return
	}
	r.losses[w.Hash] = lostTicket{at: w.Since, value: w.Ticket.FaceValue, reason: w.Reason}
}

// loadLosses reads the recent losses from the ledger.
func (r *Redeemer) loadLosses(ctx context.Context) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired, pm.TicketFailed},
		Recipient: r.opt.Recipient})
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range all {
		if r.opt.Now().Sub(all[i].Since) < lossShownFor {
			r.recordLossLocked(&all[i])
		}
	}
	return err
}

// updateLostLocked reports value that was lost within lossShownFor.
func (r *Redeemer) updateLostLocked(now time.Time) {
	var sum core.Wei
	var last lostTicket
	for h, l := range r.losses {
		if now.Sub(l.at) >= lossShownFor {
			delete(r.losses, h)
			continue
		}
		sum = sum.Add(l.value)
		if !l.at.Before(last.at) {
			last = l
		}
	}
	r.setCondition(health.Key{Code: fault.TicketsLost}, len(r.losses) > 0,
		fmt.Sprintf("%s ETH in %d tickets within a day, the last: %s", sum.Ether(), len(r.losses), last.reason))
}

// finalReason says why a ticket was not redeemed in time, with a code first.
func (t *ticket) finalReason(when term) string {
	over := fmt.Sprintf("; round %d was its last", when.last)
	switch {
	case t.waitReason != "" && classify(codeOf(t.waitReason)) != failureUsed:
		return withCause(t.waitReason) + over
	case t.paramsActive:
		return fmt.Sprintf("%s: its parameters expired only at layer-1 block %d", fault.TicketExpired, t.w.ExpirationBlock) +
			over
	case !t.attempted:
		return string(fault.TicketExpired) +
			": the node did not run, or saw nothing of the chain, while it could be redeemed" + over
	}
	return string(fault.TicketExpired) + ": nothing is known to have held it up" + over
}

// withCause adds the fault table's cause to a reason that is only a code.
func withCause(reason string) string {
	if row, ok := fault.Lookup(codeOf(reason)); ok && reason == string(row.Code) {
		return reason + ": " + row.Cause
	}
	return reason
}

// roundClosed returns the reason of tickets that wait for the round to open.
func roundClosed(round protocol.RoundState) string {
	return fmt.Sprintf("%s: round %d", fault.RoundNotInitialized, round.Number)
}
