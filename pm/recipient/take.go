package recipient

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// recalled is what a payment's parameters lead to.
type recalled struct {
	terms   pm.Params
	rand    protocol.Word
	retired bool
}

// take looks at a payment's tickets and credits those that are good. room is why
// there is no account for them; then they are looked at all the same, because they
// may win. The error is the last ticket's, or the books'.
func (r *Recipient) take(ctx context.Context, job *pm.Job, view *protocol.View, a *account, room error) error {
	p := &job.Payment
	sender := job.Account.Sender
	funds, unread := r.opt.Chain.SenderFunds(ctx, sender)
	if unread != nil {
		// Nothing is known of its funds, but the tickets of then may have won.
		funds, unread = protocol.SenderFunds{}, pm.UnknownFunds(sender, unread)
	}
	if room == nil {
		room = cmp.Or(unread, r.creditless(view, sender, funds))
	}
	c := pm.Checker{Recipient: r.opt.Recipient, L1: r.height(view), Round: view.Round.LastInitialized, Funds: funds}
	t := recalled{terms: p.Terms()}
	var known bool
	t.rand, known, t.retired = r.recall(&t.terms, sender, job.Quote.Price)

	var s *set
	if known && !t.retired && room == nil {
		s, room = r.sets.pin(t.terms.RecipientRandHash, sender, t.terms.ExpirationBlock)
		defer func() { r.sets.unpin(s) }()
	}
	v := s.judge(r.read(&c, p, &t))
	fresh := known && !t.retired && t.terms.ExpirationBlock > c.L1
	switch {
	case unread != nil:
		v.Refused = unread
	case room != nil && fresh && fault.CodeOf(v.Refused) == fault.TicketParamsStale:
		v.Refused = room // nothing is wrong with them but that there is no room
	}
	return r.settle(ctx, job, view, &t, &v, s, a)
}

// creditless says why no ticket of a gateway is worth anything at this moment: the
// chain is out of sight, or the winners that are not paid are all that its funds carry.
func (r *Recipient) creditless(view *protocol.View, sender core.Address, funds protocol.SenderFunds) error {
	if err := r.fresh(opAdmit, view); err != nil {
		return err
	}
	pending := r.opt.Pending(sender)
	if !pending.IsZero() && pending.Cmp(pm.Available(funds, view.PoolSize)) >= 0 {
		return fault.Wrap(fault.InsufficientSenderReserve, opAdmit, pm.ErrSenderReserve)
	}
	return nil
}

// read reads the tickets when it is their gateway's turn.
func (r *Recipient) read(c *pm.Checker, p *pm.Payment, t *recalled) *pm.Reading {
	defer r.readers.enter(p.Sender)()
	return c.Read(p, t.rand, t.retired)
}

// settle writes what a payment came to, and then counts it.
func (r *Recipient) settle(ctx context.Context, job *pm.Job, view *protocol.View, t *recalled, v *pm.Verdict, s *set, a *account) error {
	now := r.opt.Now()
	e := pm.Entries{Winners: r.winners(job, t, v, now)}
	if len(v.Accepted) > 0 {
		e.Credits = []pm.Credit{{
			Account: job.Account, Session: job.Session, RandHash: t.terms.RecipientRandHash,
			FaceValue: t.terms.FaceValue, WinProb: t.terms.WinProb, Nonces: v.Accepted,
			ExpirationBlock: t.terms.ExpirationBlock, Round: view.Round.Number, At: now,
		}}
	}
	if err := r.write(ctx, e, s); err != nil {
		return err
	}
	won := 0
	for i := range e.Winners {
		if e.Winners[i].Credited {
			won++
		}
	}
	if len(e.Credits) > 0 {
		value := e.Credits[0].Value()
		a.credit(job, value)
		r.opt.Recorder.TicketsReceived(job.Account.Sender, job.Account.Key, len(v.Accepted), won, value)
	}
	return v.Refused
}

// write puts entries on disk and tells of the winners. When they cannot be written
// the tickets are good again, unless nobody knows whether they were.
func (r *Recipient) write(ctx context.Context, e pm.Entries, s *set) error {
	if len(e.Credits)+len(e.Winners) == 0 {
		return nil
	}
	// A gateway that goes away does not take its payment with it.
	ctx = context.WithoutCancel(ctx)
	err := r.opt.Ledger.Append(ctx, e)
	code := fault.CodeOf(err)
	if err != nil && len(e.Credits) > 0 && code != fault.LedgerFailed {
		s.giveBack(e.Credits[0].Nonces)
	}
	switch {
	case err == nil:
		r.tell(e.Winners)
	case mayLater(code):
		r.keepLate(e.Winners)
	case code == fault.LedgerRefused && len(e.Credits) > 0:
		return r.refused(ctx, e, err)
	}
	return err
}

// mayLater reports whether the books take the same another time.
func mayLater(code fault.Code) bool {
	return code == fault.LedgerFull || code == fault.StoreUnreachable
}

// refused is what becomes of tickets that the books do not take: usually they
// expired while they were looked at. What they won is ours all the same.
func (r *Recipient) refused(ctx context.Context, e pm.Entries, why error) error {
	expires := e.Credits[0].ExpirationBlock
	e.Credits, e.Winners = nil, uncredited(e.Winners)
	if len(e.Winners) > 0 {
		switch err := r.opt.Ledger.Append(ctx, e); {
		case err == nil:
			r.tell(e.Winners)
		case mayLater(fault.CodeOf(err)):
			r.keepLate(e.Winners)
		}
	}
	if expires <= r.sets.height(0) {
		return fault.Wrap(fault.TicketParamsStale, opAdmit, why)
	}
	return why
}

// tell hands winners to who redeems them.
func (r *Recipient) tell(winners []pm.Winner) {
	for i := range winners {
		if r.told.add(winners[i].Hash) {
			r.opt.Won(winners[i])
		}
	}
}

// winners are the tickets that won, each once. Those that are not credited and were
// stored lately are left out.
func (r *Recipient) winners(job *pm.Job, t *recalled, v *pm.Verdict, now time.Time) (out []pm.Winner) {
	sender := job.Account.Sender
	for _, i := range v.Winners {
		ticket := job.Payment.Tickets[i]
		w := pm.Winner{
			Hash:            t.terms.TicketHash(sender, ticket.Nonce),
			ExpirationBlock: t.terms.ExpirationBlock,
			Account:         job.Account,
			Credited:        slices.Contains(v.Accepted, ticket.Nonce),
			Won:             now,
			State:           pm.TicketWon,
			Since:           now,
		}
		same := func(o pm.Winner) bool { return o.Hash == w.Hash }
		if slices.ContainsFunc(out, same) || !w.Credited && (r.told.has(w.Hash) || r.late.has(w.Hash)) {
			continue
		}
		w.Ticket = t.terms.Winning(sender, ticket, t.rand)
		out = append(out, w)
	}
	return out
}
