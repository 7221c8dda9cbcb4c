package payout

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
	// batch is how many tickets one read covers, page how many one query of the ledger returns,
	// and most how many one check covers, the newest first.
	batch, page, most = 100, 1000, 20_000
	// searches bounds the searches of old logs in one check, and patience those for one ticket.
	searches, patience = 2, 15
	// kept is the age up to which tickets are checked.
	kept = 14 * 24 * time.Hour
)

// pass is one check of the due tickets.
type pass struct {
	view     *protocol.View
	searches int
	late     overdue
	// seen are the tickets that this check covered.
	seen map[protocol.Hash]bool
	// round is the round, confirmed by more than one endpoint; it is read when a ticket would
	// expire.
	round *protocol.RoundState
}

func (w *Watcher) checkTickets(ctx context.Context, v *protocol.View) error {
	if err := w.validate(ctx, v); err != nil {
		return err
	}
	l := &pass{view: v, searches: searches, seen: make(map[protocol.Hash]bool)}
	f := ledger.Filter{States: []pm.TicketState{pm.TicketHanded, pm.TicketMined}, Recipient: w.opt.Recipient,
		Limit: page}
	for len(l.seen) < most {
		all, err := w.opt.Ledger.Winners(ctx, f)
		if err != nil {
			return &ledgerError{err}
		}
		if err := w.ask(ctx, l, all); err != nil {
			return err
		}
		if len(all) < page || w.opt.Now().Sub(all[len(all)-1].Won) > kept {
			break
		}
		f.Before = before(all[0].Won, all[len(all)-1].Won)
	}
	w.forget(l)
	w.updateConditions(l)
	return w.alertLost(ctx)
}

// before is where the page after one from first to last begins: tickets that were won at the
// same time may be on both, and checking one twice does no harm.
func before(first, last time.Time) time.Time {
	if first.Equal(last) {
		return last
	}
	return last.Add(1)
}

// validate reads for how many rounds tickets are valid, once in each round.
func (w *Watcher) validate(ctx context.Context, v *protocol.View) error {
	if w.validity != 0 && w.validIn == v.Round.Number {
		return nil
	}
	p, err := w.opt.Chain.Parameters(ctx)
	if err == nil && p.TicketValidity > 0 {
		w.validity, w.validIn = p.TicketValidity, v.Round.Number
	}
	if err == nil && w.validity == 0 {
		err = fault.New(fault.ContractAnswerInvalid, opLook, "tickets are valid for no round")
	}
	return err
}

// ask reads the state of the due tickets among some, and acts on it.
func (w *Watcher) ask(ctx context.Context, l *pass, all []pm.Winner) error {
	var due []pm.Winner
	for i := range all {
		if w.isDue(l, &all[i]) {
			due = append(due, all[i])
		}
		if len(due) == batch || i == len(all)-1 && len(due) > 0 {
			if err := w.askBatch(ctx, l, due); err != nil {
				return err
			}
			due = due[:0]
		}
	}
	return nil
}

// isDue reports whether a ticket is due for a check.
func (w *Watcher) isDue(l *pass, t *pm.Winner) bool {
	if l.seen[t.Hash] || w.opt.Now().Sub(t.Won) > kept {
		return false
	}
	l.seen[t.Hash] = true
	if t.State == pm.TicketMined {
		return true
	}
	if _, hinted := w.hints.of(t); hinted {
		return true
	}
	return termOf(t, w.validity, l.view).late
}

func (w *Watcher) askBatch(ctx context.Context, l *pass, due []pm.Winner) error {
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
func (w *Watcher) decide(ctx context.Context, l *pass, t *pm.Winner, used bool) error {
	when := termOf(t, w.validity, l.view)
	switch {
	case used:
		return w.paid(ctx, l, t)
	case t.State == pm.TicketMined:
		return w.undone(ctx, t)
	case when.over:
		return w.expire(ctx, l, t, when)
	case when.late:
		l.late.add(t, when)
	}
	return nil
}

// undone handles a payout that disappeared from the chain. The ticket becomes won again, and is
// handed over again: the redeemer recognizes it by its hash.
func (w *Watcher) undone(ctx context.Context, t *pm.Winner) error {
	w.hints.forget(t)
	if err := w.progress(ctx, t, pm.Progress{State: pm.TicketWon, Reason: "reorganised"}); err != nil {
		return err
	}
	w.opt.Undone(*t)
	return nil
}

// expire ends a ticket whose rounds are over and that was not redeemed in them.
func (w *Watcher) expire(ctx context.Context, l *pass, t *pm.Winner, when term) error {
	if l.round == nil {
		round, err := w.opt.Chain.Round(ctx)
		if err != nil {
			return err
		}
		l.round = &round
	}
	if l.round.Number <= when.last {
		return nil // the view came from an endpoint that was wrong
	}
	reason := fmt.Sprintf("%s: the redeemer %s took it and did not redeem it; round %d was its last",
		fault.HandedUnpaid, w.opt.Redeemer, when.last)
	return w.progress(ctx, t, pm.Progress{State: pm.TicketExpired, Reason: reason})
}

// progress writes a ticket's next state.
func (w *Watcher) progress(ctx context.Context, t *pm.Winner, p pm.Progress) error {
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
func (w *Watcher) forget(l *pass) {
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

// term is the time in which a ticket can be redeemed.
type term struct {
	// last is its last round. late: half of the time has passed, over: all of it.
	last       protocol.Round
	late, over bool
}

// termOf is a ticket's term, seen from the present round. The time begins when the
// ticket's parameters expire: no redeemer sends it before.
func termOf(t *pm.Winner, validity protocol.Round, v *protocol.View) term {
	last := t.Ticket.CreationRound + max(validity, 1) - 1
	if v.Round.Number > last {
		return term{last: last, late: true, over: true}
	}
	until := v.Round.Start + protocol.L1Block(last-v.Round.Number+1)*v.Round.Length
	from := t.ExpirationBlock
	half := from + (max(until, from)-from)/2
	return term{last: last, late: v.Head.L1 >= half}
}

// overdue are tickets that were handed over and are not redeemed.
type overdue struct {
	tickets int
	value   core.Wei
	last    protocol.Round
}

func (o *overdue) add(t *pm.Winner, when term) {
	if o.tickets == 0 || when.last < o.last {
		o.last = when.last
	}
	o.tickets++
	o.value = o.value.Add(t.Ticket.FaceValue)
}
