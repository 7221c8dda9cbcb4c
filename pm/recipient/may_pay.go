package recipient

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// MayPay checks whether a job's payment is likely to suffice: its account holds enough, or it
// has enough tickets that could be valid. It runs before any work is done for a job, so it
// reads nothing remote, writes nothing and verifies no signature. It reserves nothing; Admit
// does. The error is the fault that Admit would return.
func (r *Recipient) MayPay(_ context.Context, job *pm.Job) error {
	err := r.mayPay(job)
	if err != nil {
		r.opt.Recorder.PaymentRefused(job.Account.Sender, string(fault.CodeOf(err)))
	}
	return err
}

func (r *Recipient) mayPay(job *pm.Job) error {
	if job.Quote.Price.Free() {
		return nil
	}
	view, err := r.view(opAdmit)
	switch {
	case err != nil:
		return err
	case !view.Self.Active:
		return pm.NotActive(r.opt.Recipient, view.Round.Number)
	}
	if err := checkQuote(job); err != nil {
		return err
	}
	free, needed := r.accounts.free(job), r.needed(job)
	if free.Cmp(needed) >= 0 {
		return nil
	}
	if err := r.checkFresh(opAdmit, &view); err != nil {
		return err
	}
	p := &job.Payment
	if p.Params == nil || len(p.Tickets) == 0 {
		return insufficient(opAdmit)
	}
	terms := p.Terms()
	_, known, retired := r.recoverRand(&terms, job.Account.Sender, job.Quote.Price)
	switch {
	case terms.Recipient != r.opt.Recipient:
		return fault.New(fault.TicketForAnother, opAdmit, "")
	case !known:
		return fault.New(fault.TicketParamsForeign, opAdmit, "")
	case retired || terms.ExpirationBlock <= r.height(&view):
		return fault.New(fault.TicketParamsStale, opAdmit, "")
	case free.Add(terms.EV().Times(int64(len(p.Tickets)))).Cmp(needed) < 0:
		return insufficient(opAdmit)
	}
	return nil
}

// needed returns what must be free in a job's account for it to begin: its estimate, and no less
// than a ticket's value.
func (r *Recipient) needed(job *pm.Job) pm.Value {
	return atLeast(cost(job), pm.WeiValue(r.opt.TicketEV))
}

// cost returns what the estimate of a job comes to.
func cost(job *pm.Job) pm.Value { return job.Quote.Price.Of(max(0, job.Estimate)) }

func atLeast(v, least pm.Value) pm.Value {
	if v.Cmp(least) < 0 {
		return least
	}
	return v
}
