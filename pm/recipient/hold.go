package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// holdState is how far a hold came.
type holdState int

const (
	// holdActive: the job runs and may be billed.
	holdActive holdState = iota
	// holdBilled: the job was billed, and its output may still be recorded.
	holdBilled
	holdEnded
)

// hold is the money reserved for one job. It pins its account until it ends.
type hold struct {
	r *Recipient
	// a is nil for free work, which needs no account.
	a *account
	// fund is the part of a that it is paid from, nil for a segment.
	fund *fund
	bill pm.Debit
	cost pm.Value

	mu sync.Mutex
	// state is guarded by mu, which is locked before the account's.
	state holdState
	// expectedDebt is what the payer may owe for the job, until it ends. Guarded by mu.
	expectedDebt pm.Value
}

var _ pm.Hold = (*hold)(nil)

func (r *Recipient) hold(job *pm.Job, a *account) *hold {
	h := &hold{r: r, a: a, bill: pm.Debit{
		Account: job.Account, Session: job.Session, Pipeline: "transcoding", Price: job.Quote.Price,
	}}
	if job.Model != nil {
		h.bill.Pipeline, h.bill.Model = job.Model.Capability.Pipeline(), job.Model.ID
	}
	h.cost = cost(job)
	if a == nil {
		// A client of free work proves nothing by its key, and could make many: all of it is in
		// one account without owner.
		h.bill.Account = pm.Account{}
	}
	return h
}

// Begin checks that a ticket's value is still in the account.
func (h *hold) Begin() error {
	if h.a == nil {
		return nil
	}
	err := h.a.coversMinimum(h.r.opt.TicketEV)
	if err != nil {
		h.r.opt.Recorder.PaymentRefused(h.a.id.Sender, string(fault.CodeOf(err)))
	}
	return err
}

// Done bills the work at the quoted price.
func (h *hold) Done(w pm.Work) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holdActive {
		return
	}
	h.state = holdEnded
	if w.Produced < 0 {
		h.state = holdBilled
	}
	h.bill.Worker = w.Worker
	bill := h.debitNow(max(0, w.Units), max(-1, w.Produced))
	h.end(&bill)
}

// Produced records the output of the work, once.
func (h *hold) Produced(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holdBilled || n < 0 {
		return
	}
	h.state = holdEnded
	// Its value is zero, so the account may be closed already.
	h.r.opt.Ledger.Book(pm.Entries{Debits: []pm.Debit{h.debitNow(0, n)}})
}

// Release releases the reserved money.
func (h *hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holdActive {
		return
	}
	h.state = holdEnded
	h.end(nil)
}

// debitNow returns a bill with the present time and round.
func (h *hold) debitNow(units, produced int64) pm.Debit {
	d := h.bill
	d.Units, d.Produced = units, produced
	d.Round, d.At = h.r.opt.Chain.View().Round.Number, h.r.opt.Now()
	return d
}

// end releases the reservation, and records the bill.
func (h *hold) end(bill *pm.Debit) {
	if h.a == nil {
		if bill != nil {
			h.r.opt.Ledger.Book(pm.Entries{Debits: []pm.Debit{*bill}})
		}
		return
	}
	h.a.end(h.fund, h.cost, bill, h.r.opt.Ledger.Book)
	h.a.payer.dropExpected(h.expectedDebt)
	h.r.accounts.unpin(h.a, h.r.opt.Now())
}

// end removes a job from the account, records the bill, and returns to its fund what it did not
// cost.
func (a *account) end(f *fund, cost pm.Value, bill *pm.Debit, book func(pm.Entries)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inProgress = a.inProgress.Sub(cost)
	a.jobs--
	if f != nil {
		f.change(cost)
	}
	if bill == nil {
		return
	}
	by := bill.Value().Neg()
	a.changeLocked(by)
	if f != nil {
		f.change(by)
	}
	book(pm.Entries{Debits: []pm.Debit{*bill}})
}
