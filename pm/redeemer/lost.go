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

// grieve is for how long a loss is shown: an operator who looks once a day sees it.
const grieve = 24 * time.Hour

// loss is a ticket that ended without money.
type loss struct {
	at     time.Time
	value  core.Wei
	reason string
}

// levelOf is how loudly a ticket's state is told.
func levelOf(s pm.TicketState) slog.Level {
	if s == pm.TicketExpired || s == pm.TicketFailed {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// lose notes a ticket that ended without money, and forgets one that is taken up
// again. The caller holds mu.
func (r *Redeemer) lose(w *pm.Winner) {
	if levelOf(w.State) == slog.LevelInfo {
		delete(r.lost, w.Hash)
		return
	}
	r.lost[w.Hash] = loss{at: w.Since, value: w.Ticket.FaceValue, reason: w.Reason}
}

// recallLosses takes up what was lost before the start.
func (r *Redeemer) recallLosses(ctx context.Context) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired, pm.TicketFailed}, Recipient: r.opt.Recipient})
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range all {
		if r.opt.Now().Sub(all[i].Since) < grieve {
			r.lose(&all[i])
		}
	}
	return err
}

// alertLost is about value that was lost lately. The caller holds mu.
func (r *Redeemer) alertLost(now time.Time) {
	var sum core.Wei
	var last loss
	for h, l := range r.lost {
		if now.Sub(l.at) >= grieve {
			delete(r.lost, h)
			continue
		}
		sum = sum.Add(l.value)
		if !l.at.Before(last.at) {
			last = l
		}
	}
	r.condition(health.Key{Code: fault.TicketsLost}, len(r.lost) > 0,
		fmt.Sprintf("%s ETH in %d tickets within a day, the last: %s", sum.Ether(), len(r.lost), last.reason))
}

// epitaph says why a ticket was not redeemed in its time, with a code first.
func (t *ticket) epitaph(when term) string {
	over := fmt.Sprintf("; round %d was its last", when.last)
	switch {
	case t.waits != "" && meaningOf(codeOf(t.waits)) != used:
		return withText(t.waits) + over
	case t.unripe:
		return fmt.Sprintf("%s: its parameters expired only at layer-1 block %d", fault.TicketExpired, t.w.ExpirationBlock) + over
	case !t.looked:
		return string(fault.TicketExpired) + ": the node did not run, or saw nothing of the chain, while it could be redeemed" + over
	}
	return string(fault.TicketExpired) + ": nothing is known to have held it up" + over
}

// withText gives a reason that is a code alone the table's words.
func withText(reason string) string {
	if row, ok := fault.Lookup(codeOf(reason)); ok && reason == string(row.Code) {
		return reason + ": " + row.Cause
	}
	return reason
}

// closed says that a round is not open yet.
func closed(round protocol.RoundState) string {
	return fmt.Sprintf("%s: round %d", fault.RoundNotInitialized, round.Number)
}
