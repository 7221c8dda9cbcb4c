package recipient

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// paymentParams are a payment's parameters and their random number, and what its gateway's funds
// would pay now.
type paymentParams struct {
	terms      pm.Params
	rand       protocol.Word
	retired    bool
	available  core.Wei
	unrecorded *unrecordedPayment
}

// takeTickets checks a payment's tickets and credits the valid ones. refusal is why there is no
// account for them; they are checked all the same, because they may win. The error is the last
// ticket's, or the ledger's.
func (r *Recipient) takeTickets(ctx context.Context, job *pm.Job, view *protocol.View, a *account,
	refusal error) error {
	p := &job.Payment
	sender := job.Account.Sender
	funds, unknown := r.opt.Chain.SenderFunds(ctx, sender)
	if unknown != nil {
		// The funds are unknown, but old tickets may have won.
		funds, unknown = protocol.SenderFunds{}, pm.UnknownFunds(sender, unknown)
	}
	c := pm.Checker{Recipient: r.opt.Recipient, L1: r.height(view), Round: view.Round.LastInitialized, Funds: funds}
	t := paymentParams{terms: p.Terms()}
	var known bool
	t.rand, known, t.retired = r.recoverRand(&t.terms, sender, job.Quote.Price)

	reading := r.read(&c, p, &t)
	t.available = pm.Available(funds, view.PoolSize)
	t.unrecorded = r.unrecorded.begin(sender)
	defer t.unrecorded.end()
	if refusal == nil {
		refusal = cmp.Or(unknown, r.noCreditFault(view, sender, &t, reading.Signed()))
	}
	var s *set
	if known && !t.retired && refusal == nil {
		s, refusal = r.sets.pin(t.terms.RecipientRandHash, sender, t.terms.ExpirationBlock)
		defer func() { r.sets.unpin(s) }()
	}
	v := s.checkTickets(reading)
	fresh := known && !t.retired && t.terms.ExpirationBlock > c.L1
	switch {
	case unknown != nil:
		v.Refused = unknown
	case refusal != nil && fresh && fault.CodeOf(v.Refused) == fault.TicketParamsStale:
		v.Refused = refusal // the tickets are valid, but cannot be credited
	}
	return r.recordPayment(ctx, job, view, &t, &v, s, a)
}

// noCreditFault says why a gateway's tickets cannot be credited now: the chain's state is old, or
// its funds do not pay what the tickets are worth besides its unpaid winners.
func (r *Recipient) noCreditFault(view *protocol.View, sender core.Address, t *paymentParams, tickets int) error {
	if err := r.checkFresh(opAdmit, view); err != nil {
		return err
	}
	pending := r.opt.Pending(sender)
	if !pending.IsZero() && pending.Cmp(t.available) >= 0 ||
		!t.unrecorded.credit(t.terms.EV().Times(int64(tickets)), t.available, pending) {
		return fault.Wrap(fault.InsufficientSenderReserve, opAdmit, pm.ErrSenderReserve)
	}
	return nil
}

// read verifies the tickets within the gateway's limit.
func (r *Recipient) read(c *pm.Checker, p *pm.Payment, t *paymentParams) *pm.Reading {
	defer r.readers.acquire(p.Sender)()
	return c.Read(p, t.rand, t.retired)
}

// recordPayment writes the outcome of a payment, and then credits it.
func (r *Recipient) recordPayment(ctx context.Context, job *pm.Job, view *protocol.View, t *paymentParams,
	v *pm.Verdict, s *set, a *account) error {
	now := r.opt.Now()
	e := pm.Entries{Winners: r.winners(job, t, v, now)}
	if len(v.Accepted) > 0 {
		e.Credits = []pm.Credit{{
			Account: job.Account, Session: job.Session, RandHash: t.terms.RecipientRandHash,
			FaceValue: t.terms.FaceValue, WinProb: t.terms.WinProb, Nonces: v.Accepted,
			ExpirationBlock: t.terms.ExpirationBlock, Round: view.Round.Number, At: now,
		}}
	}
	if job.Verified != nil && v.Refused == nil && len(e.Credits) > 0 && !r.cannotWrite.Load() &&
		a.promise(job, e.Credits[0].Value(), cost(job), r.needed(job)) {
		job.Verified()
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
		span := telemetry.Current(ctx)
		span.Int(telemetry.Winners, int64(won))
		if span.On() {
			span.Text(telemetry.Value, value.String())
		}
		r.opt.Recorder.TicketsReceived(job.Account.Sender, job.Account.Key, len(v.Accepted), won, value)
	}
	return v.Refused
}

// write puts entries on disk and reports the winners. If they cannot be written the nonces are
// released, unless the outcome is unknown.
func (r *Recipient) write(ctx context.Context, e pm.Entries, s *set) error {
	if len(e.Credits)+len(e.Winners) == 0 {
		return nil
	}
	// A gateway that disconnects does not withdraw its payment.
	ctx = context.WithoutCancel(ctx)
	err := r.opt.Ledger.Append(ctx, e)
	code := fault.CodeOf(err)
	if code != fault.LedgerRefused { // that is of these entries alone
		r.cannotWrite.Store(err != nil)
	}
	if err != nil && len(e.Credits) > 0 && code != fault.LedgerFailed {
		s.giveBack(e.Credits[0].Nonces)
	}
	switch {
	case err == nil:
		r.reportWinners(e.Winners)
	case retryable(code):
		r.deferWinners(e.Winners)
	case code == fault.LedgerRefused && len(e.Credits) > 0:
		return r.recordUncredited(ctx, e, err)
	}
	return err
}

// retryable reports whether the ledger may accept the same entries later.
func retryable(code fault.Code) bool {
	return code == fault.LedgerFull || code == fault.StoreUnreachable
}

// recordUncredited handles tickets that the ledger refuses: usually they expired during the
// check. Their winners are recorded all the same.
func (r *Recipient) recordUncredited(ctx context.Context, e pm.Entries, why error) error {
	expires := e.Credits[0].ExpirationBlock
	e.Credits, e.Winners = nil, uncredited(e.Winners)
	if len(e.Winners) > 0 {
		switch err := r.opt.Ledger.Append(ctx, e); {
		case err == nil:
			r.reportWinners(e.Winners)
		case retryable(fault.CodeOf(err)):
			r.deferWinners(e.Winners)
		}
	}
	if expires <= r.sets.height(0) {
		return fault.Wrap(fault.TicketParamsStale, opAdmit, why)
	}
	return why
}

// reportWinners hands winners to the redeemer.
func (r *Recipient) reportWinners(winners []pm.Winner) {
	for i := range winners {
		if r.reported.add(winners[i].Hash) {
			r.opt.Won(winners[i])
		}
	}
}

// winners returns the tickets that won, each once. Uncredited ones that were stored recently, or
// that are more than the bounds of unrecorded, are left out.
func (r *Recipient) winners(job *pm.Job, t *paymentParams, v *pm.Verdict, now time.Time) (out []pm.Winner) {
	sender := job.Account.Sender
	pending, waiting, dropped := r.opt.Pending(sender), r.opt.Waiting(sender), 0
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
		if slices.ContainsFunc(out, same) || !w.Credited && (r.reported.has(w.Hash) || r.deferred.has(w.Hash)) {
			continue
		}
		w.Ticket = t.terms.Winning(sender, ticket, t.rand)
		if !t.unrecorded.winner(&w, t.available, pending, waiting) {
			dropped++
			continue
		}
		out = append(out, w)
	}
	if dropped > 0 {
		r.opt.Log.Debug("winning tickets of a refused payment not kept: too many of this gateway are unpaid",
			"gateway", sender.String(), "tickets", dropped)
	}
	return out
}
