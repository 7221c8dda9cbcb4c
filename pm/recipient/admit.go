package recipient

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const opAdmit = "take a payment"

// Admit accepts a job's payment, and says whether the job may begin. Accepted tickets are on
// disk when it returns and stay credited, also when it returns an error. The caller must end
// the hold.
func (r *Recipient) Admit(ctx context.Context, job *pm.Job) (pm.Hold, error) {
	h, err := r.admit(ctx, job)
	if err != nil {
		r.opt.Recorder.PaymentRefused(job.Account.Sender, string(fault.CodeOf(err)))
		return nil, err
	}
	return h, nil
}

func (r *Recipient) admit(ctx context.Context, job *pm.Job) (pm.Hold, error) {
	if job.Quote.Price.Free() {
		if err := checkQuote(job); err != nil {
			return nil, err
		}
		return r.hold(job, nil), nil
	}
	view, err := r.view(opAdmit)
	if err != nil {
		return nil, err
	}
	if !view.Self.Active {
		return nil, pm.NotActive(r.opt.Recipient, view.Round.Number)
	}
	if err := checkQuote(job); err != nil {
		return nil, err
	}
	return r.admitPaid(ctx, job, &view)
}

// checkQuote compares a payment with the quote of its request. For free work only the price and
// the work are checked: nothing is paid.
func checkQuote(job *pm.Job) error {
	p, q := job.Payment, &job.Quote
	free := q.Price.Free()
	if free {
		p.Params, p.Tickets, p.Sender = nil, nil, q.Sender
	}
	if err := p.Check(q); err != nil {
		return err
	}
	if !q.Covers(job.Model) {
		return pm.WrongPrice("the price was quoted for other work")
	}
	return checkSender(&p, job, free)
}

// checkParty is checkQuote for live work, whose quote the caller has compared with the work.
func checkParty(job *pm.Job) error {
	if err := job.Payment.Check(&job.Quote); err != nil {
		return err
	}
	return checkSender(&job.Payment, job, false)
}

// checkSender checks that a payment is from the account that its quote was made for.
func checkSender(p *pm.Payment, job *pm.Job, free bool) error {
	q := &job.Quote
	switch {
	case p.Sender.IsZero() && !free:
		return fault.New(fault.PaymentSenderMissing, opAdmit, "Could not find Sender for payment: no sender in it")
	case p.Sender != q.Sender:
		return fault.New(fault.PaymentSenderOther, opAdmit, "the session is another gateway's")
	case job.Account.Sender != q.Sender:
		return fault.New(fault.PaymentSenderOther, opAdmit, "the account is another gateway's")
	case len(p.Tickets) > 0 && p.Params == nil:
		return fault.New(fault.TicketParamsMissing, opAdmit, "")
	}
	return nil
}

// admitPaid credits the payment and reserves the job's estimate.
func (r *Recipient) admitPaid(ctx context.Context, job *pm.Job, view *protocol.View) (pm.Hold, error) {
	tickets := len(job.Payment.Tickets) > 0
	// Without tickets there is an account already, or no money.
	a, refusal := r.accounts.pin(job.Account, tickets || r.opt.TicketEV.IsZero())
	admitted := false
	defer func() {
		if !admitted {
			a.endPromise(job)
			r.accounts.unpin(a, r.opt.Now())
		}
	}()
	if tickets {
		if err := r.takeTickets(ctx, job, view, a, refusal); err != nil {
			return nil, err
		}
	}
	switch {
	case refusal != nil:
		return nil, refusal
	case a == nil:
		return nil, insufficient(opAdmit)
	}
	h := r.hold(job, a)
	var err error
	if h.fund, err = a.reserve(job, h.cost, r.needed(job)); err != nil {
		return nil, err
	}
	admitted = true // the hold releases the account
	return h, nil
}
