package recipient

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// MayPay says whether it looks as if a job's payment would do: there is enough in its
// account, or it brings enough tickets that could be good. It is asked before anything
// is done for a job, so it asks nobody, writes nothing and reads no signature; and it
// promises nothing, which Admit alone does. The error is the fault that Admit would
// give.
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
	if err := fit(job); err != nil {
		return err
	}
	free, needed := r.accounts.free(job), r.needed(job)
	if free.Cmp(needed) >= 0 {
		return nil
	}
	if err := r.fresh(opAdmit, &view); err != nil {
		return err
	}
	p := &job.Payment
	if p.Params == nil || len(p.Tickets) == 0 {
		return insufficient(opAdmit)
	}
	terms := p.Terms()
	_, known, retired := r.recall(&terms, job.Account.Sender, job.Quote.Price)
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

// needed is what has to be free in a job's account for it to begin: its estimate, and
// no less than a ticket's value.
func (r *Recipient) needed(job *pm.Job) pm.Value {
	return atLeast(job.Quote.Price.Of(max(0, job.Estimate)), pm.WeiValue(r.opt.TicketEV))
}

func atLeast(v, least pm.Value) pm.Value {
	if v.Cmp(least) < 0 {
		return least
	}
	return v
}
