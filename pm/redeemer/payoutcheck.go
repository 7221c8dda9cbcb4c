package redeemer

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

const (
	// batchSize is the number of tickets of one read, pageSize that of one query of the ledger, and
	// maxTickets the most that one check covers, the newest first.
	batchSize, pageSize, maxTickets = 100, 1000, 20_000
	// maxSearches bounds the searches of old logs in one check, maxTicketSearches those for one ticket.
	maxSearches, maxTicketSearches = 2, 15
	// maxAge is the age up to which tickets are checked.
	maxAge = 14 * 24 * time.Hour
)

// payoutPass is one check of the due tickets.
type payoutPass struct {
	view     *protocol.View
	searches int
	overdue  overdue
	// seen are the tickets that this check covered.
	seen map[protocol.Hash]bool
	// round is the round, confirmed by more than one endpoint; it is read when a ticket would
	// expire.
	round *protocol.RoundState
	// validity was read with round.
	validity protocol.Round
}

func (w *PayoutWatcher) checkTickets(ctx context.Context, v *protocol.View) error {
	if err := w.loadValidity(ctx, v); err != nil {
		return err
	}
	l := &payoutPass{view: v, searches: maxSearches, seen: make(map[protocol.Hash]bool)}
	f := ledger.Filter{States: []pm.TicketState{pm.TicketHanded, pm.TicketMined}, Recipient: w.opt.Recipient,
		Limit: pageSize}
	for len(l.seen) < maxTickets {
		all, err := w.opt.Ledger.Winners(ctx, f)
		if err != nil {
			return &ledgerError{err}
		}
		if err := w.checkPage(ctx, l, all); err != nil {
			return err
		}
		if len(all) < pageSize || w.opt.Now().Sub(all[len(all)-1].Won) > maxAge {
			break
		}
		f.Before = nextPageBefore(all[0].Won, all[len(all)-1].Won)
	}
	w.forget(l)
	w.updateConditions(l)
	return w.alertLost(ctx)
}

// nextPageBefore returns where the next page begins, after one from first to last. Tickets that were won at
// the same time may be on both; checking one twice does no harm.
func nextPageBefore(first, last time.Time) time.Time {
	if first.Equal(last) {
		return last
	}
	return last.Add(1)
}

// loadValidity reads for how many rounds tickets are valid, once in each round.
func (w *PayoutWatcher) loadValidity(ctx context.Context, v *protocol.View) error {
	if w.validity != 0 && w.validityRound == v.Round.Number {
		return nil
	}
	p, err := w.opt.Chain.Parameters(ctx)
	if err == nil && p.TicketValidity > 0 && p.TicketValidity <= maxValidity {
		w.validity, w.validityRound = p.TicketValidity, v.Round.Number
	}
	if err == nil && w.validity == 0 {
		err = fault.New(fault.ContractAnswerInvalid, opLook, "tickets are valid for no round")
	}
	return err
}

// checkPage reads the state of the due tickets of a page, and acts on it.
func (w *PayoutWatcher) checkPage(ctx context.Context, l *payoutPass, all []pm.Winner) error {
	var due []pm.Winner
	for i := range all {
		if w.isDue(l, &all[i]) {
			due = append(due, all[i])
		}
		if len(due) == batchSize || i == len(all)-1 && len(due) > 0 {
			if err := w.checkBatch(ctx, l, due); err != nil {
				return err
			}
			due = due[:0]
		}
	}
	return nil
}

// isDue reports whether this check has to look at a ticket, and marks the ticket as seen.
func (w *PayoutWatcher) isDue(l *payoutPass, t *pm.Winner) bool {
	if l.seen[t.Hash] || w.opt.Now().Sub(t.Won) > maxAge {
		return false
	}
	l.seen[t.Hash] = true
	if t.State == pm.TicketMined {
		return true
	}
	if _, hinted := w.hints.of(t); hinted {
		return true
	}
	return windowOf(t, w.validity, l.view).halfElapsed
}

func (w *PayoutWatcher) checkBatch(ctx context.Context, l *payoutPass, due []pm.Winner) error {
	hashes := make([]protocol.Hash, len(due))
	for i := range due {
		hashes[i] = due[i].Hash
	}
	used, err := w.opt.Chain.TicketsUsed(ctx, hashes)
	if err != nil {
		return err
	}
	for i := range due {
		if err := w.decide(ctx, l, &due[i], used[i]); err != nil && fault.CodeOf(err) != fault.LedgerRefused {
			return err
		}
	}
	return nil
}

// decide acts on whether a ticket is used.
func (w *PayoutWatcher) decide(ctx context.Context, l *payoutPass, t *pm.Winner, used bool) error {
	when := windowOf(t, w.validity, l.view)
	switch {
	case used:
		return w.recordPayout(ctx, l, t)
	case t.State == pm.TicketMined:
		return w.reverted(ctx, t)
	case when.elapsed:
		return w.expire(ctx, l, t, when)
	case when.halfElapsed:
		l.overdue.add(t, when)
	}
	return nil
}

// reverted handles a payout that a reorg removed from the chain. The ticket becomes won again, and is
// sent to the redeemer again, which recognizes it by its hash.
func (w *PayoutWatcher) reverted(ctx context.Context, t *pm.Winner) error {
	w.hints.forget(t)
	if err := w.progress(ctx, t, pm.Progress{State: pm.TicketWon, Reason: "reorganised"}); err != nil {
		return err
	}
	w.opt.Undone(*t)
	return nil
}

// expire ends a ticket whose rounds are over and that was not redeemed in them.
func (w *PayoutWatcher) expire(ctx context.Context, l *payoutPass, t *pm.Winner, when redeemWindow) error {
	if l.round == nil {
		round, err := w.opt.Chain.Round(ctx)
		if err != nil {
			return err
		}
		p, err := w.opt.Chain.Parameters(ctx)
		if err != nil {
			return err
		}
		l.round, l.validity = &round, p.TicketValidity
	}
	last := t.Ticket.CreationRound + min(max(l.validity, 1), maxValidity) - 1
	if l.round.Number <= max(when.last, last) {
		w.validity = 0 // it, or the view, came from an endpoint that was wrong
		return nil
	}
	reason := fmt.Sprintf("%s: the redeemer %s took it and did not redeem it; round %d was its last",
		fault.HandedUnpaid, w.opt.Redeemer, when.last)
	return w.progress(ctx, t, pm.Progress{State: pm.TicketExpired, Reason: reason})
}

// progress writes a ticket's next state.
func (w *PayoutWatcher) progress(ctx context.Context, t *pm.Winner, p pm.Progress) error {
	p.Hash, p.At = t.Hash, w.opt.Now()
	if p.GasFee.IsZero() {
		p.GasFee = t.GasFee
	}
	if err := w.opt.Ledger.Progress(ctx, p); err != nil {
		return err
	}
	t.State, t.Since, t.Tx, t.Paid, t.GasFee, t.Reason = p.State, p.At, p.Tx, p.Paid, p.GasFee, p.Reason
	w.opt.Log.Info("winning ticket", "ticket", t.Hash.String(), "gateway", t.Ticket.Sender.String(), "state",
		string(p.State),
		"tx", p.Tx.String(), "paid", p.Paid.String(), "reason", p.Reason)
	return nil
}

// forget drops the records of tickets that are no longer mined or handed.
func (w *PayoutWatcher) forget(l *payoutPass) {
	for h := range w.mined {
		if !l.seen[h] {
			delete(w.mined, h)
		}
	}
	for h := range w.missing {
		if !l.seen[h] {
			delete(w.missing, h)
		}
	}
}

// redeemWindow is the time in which a ticket can be redeemed.
type redeemWindow struct {
	// last is its last round. halfElapsed: half of the time has passed, elapsed: all of it.
	last                 protocol.Round
	halfElapsed, elapsed bool
}

// windowOf returns a ticket's window, seen from the present round. It begins when the
// ticket's parameters expire: no redeemer sends the ticket before.
func windowOf(t *pm.Winner, validity protocol.Round, v *protocol.View) redeemWindow {
	last := t.Ticket.CreationRound + max(validity, 1) - 1
	if v.Round.Number > last {
		return redeemWindow{last: last, halfElapsed: true, elapsed: true}
	}
	until := v.Round.Start + protocol.L1Block(last-v.Round.Number+1)*v.Round.Length
	from := t.ExpirationBlock
	half := from + (max(until, from)-from)/2
	return redeemWindow{last: last, halfElapsed: v.Head.L1 >= half}
}

// overdue counts tickets that the redeemer got and has not redeemed.
type overdue struct {
	tickets int
	value   core.Wei
	last    protocol.Round
}

func (o *overdue) add(t *pm.Winner, when redeemWindow) {
	if o.tickets == 0 || when.last < o.last {
		o.last = when.last
	}
	o.tickets++
	o.value = o.value.Add(t.Ticket.FaceValue)
}
