package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// hold is the money put aside for one job. It keeps its account open until it ends.
type hold struct {
	r *Recipient
	// a is nil for free work, which needs no account.
	a *account
	// fund is the part of a that it is paid from, nil for a segment.
	fund *fund
	bill pm.Debit
	cost pm.Value

	mu sync.Mutex
	// ended: no bill comes any more; open: what was produced may still be told. Guarded
	// by mu, which is taken before the account's.
	ended, open bool
	// promised is what the payer may owe for it, until it ends. Guarded by mu.
	promised pm.Value
}

const (
	// owedTimes is how many times its estimate a job may leave owing: clients that do not
	// say how long their segments are have gateways announce two seconds, and send ten.
	owedTimes = 8
	// owedTickets bounds that, whatever was announced.
	owedTickets = 256
)

var _ pm.Hold = (*hold)(nil)

func (r *Recipient) hold(job *pm.Job, a *account) *hold {
	h := &hold{r: r, a: a, bill: pm.Debit{
		Account: job.Account, Session: job.Session, Pipeline: "transcoding", Price: job.Quote.Price,
	}}
	if job.Model != nil {
		h.bill.Pipeline, h.bill.Model = job.Model.Capability.Pipeline(), job.Model.ID
	}
	h.cost = job.Quote.Price.Of(max(0, job.Estimate))
	if a == nil {
		// Who asks for free work proves nothing by its key, and could make as many as it
		// likes: all of it is in one account of nobody.
		h.bill.Account = pm.Account{}
	}
	return h
}

// Begin asks whether there still is a ticket's value in the account.
func (h *hold) Begin() error {
	if h.a == nil {
		return nil
	}
	err := h.a.covers(h.r.opt.TicketEV)
	if err != nil {
		h.r.opt.Recorder.PaymentRefused(h.a.id.Sender, string(fault.CodeOf(err)))
	}
	return err
}

// Covers asks whether the account pays for what the work came to. An estimate is not
// exact, so as much again as it was may be owed for a moment; and more, if it is little of
// what its gateway paid, or if it is all that the gateway owes.
func (h *hold) Covers(units int64) error {
	if h.a == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil
	}
	ticket := pm.WeiValue(h.r.opt.TicketEV)
	most := h.cost.Times(owedTimes)
	if limit := ticket.Times(owedTickets); limit.Cmp(most) < 0 {
		most = limit
	}
	promised, err := h.a.pays(h.cost, h.bill.Price.Of(max(0, units)), atLeast(h.cost, ticket), most)
	if err != nil {
		h.r.opt.Recorder.PaymentRefused(h.a.id.Sender, string(fault.CodeOf(err)))
		return err
	}
	h.a.payer.keep(h.promised)
	h.promised = promised
	return nil
}

// Done bills the work at the quoted price.
func (h *hold) Done(w pm.Work) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return
	}
	h.ended, h.open = true, w.Produced < 0
	h.bill.Worker = w.Worker
	bill := h.stamped(max(0, w.Units), max(-1, w.Produced))
	h.end(&bill)
}

// Produced notes what came of the work, once.
func (h *hold) Produced(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open || n < 0 {
		return
	}
	h.open = false
	// It is worth nothing, so it matters to no balance whether the account is closed.
	h.r.opt.Ledger.Book(pm.Entries{Debits: []pm.Debit{h.stamped(0, n)}})
}

// Release gives the money back.
func (h *hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	h.end(nil)
}

// stamped is a bill of this moment.
func (h *hold) stamped(units, produced int64) pm.Debit {
	d := h.bill
	d.Units, d.Produced = units, produced
	d.Round, d.At = h.r.opt.Chain.View().Round.Number, h.r.opt.Now()
	return d
}

// end gives back what was reserved, and bills.
func (h *hold) end(bill *pm.Debit) {
	if h.a == nil {
		if bill != nil {
			h.r.opt.Ledger.Book(pm.Entries{Debits: []pm.Debit{*bill}})
		}
		return
	}
	h.a.end(h.fund, h.cost, bill, h.r.opt.Ledger.Book)
	h.a.payer.keep(h.promised)
	h.r.accounts.unpin(h.a, h.r.opt.Now())
}

// end takes a job out of hand, and gives its fund back what it did not cost.
func (a *account) end(f *fund, cost pm.Value, bill *pm.Debit, book func(pm.Entries)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inHand = a.inHand.Sub(cost)
	a.jobs--
	if f != nil {
		f.change(cost)
	}
	if bill == nil {
		return
	}
	by := bill.Value().Neg()
	a.change(by)
	if f != nil {
		f.change(by)
	}
	book(pm.Entries{Debits: []pm.Debit{*bill}})
}
