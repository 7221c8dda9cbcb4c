package recipient

import (
	"context"
	"math"
	"math/big"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

var _ orchestrate.LivePayments = (*Recipient)(nil)

// tab is an account that work in progress is charged from. It pins the account.
type tab struct {
	r *Recipient
	a *account
	// fund is the part of a that it is charged from, nil for all of it.
	fund *fund
	bill pm.Debit

	mu sync.Mutex
	// closed is guarded by mu, which is locked before the account's.
	closed bool
}

// OpenTab accepts a payment for live work and opens its account. It fails if the account then
// holds less than the job's estimate; accepted tickets stay credited all the same. The caller must
// close the tab.
func (r *Recipient) OpenTab(ctx context.Context, job *pm.Job) (pm.Tab, error) {
	t, err := r.openTab(ctx, job)
	if err != nil {
		r.opt.Recorder.PaymentRefused(job.Account.Sender, string(fault.CodeOf(err)))
		return nil, err
	}
	return t, nil
}

func (r *Recipient) openTab(ctx context.Context, job *pm.Job) (*tab, error) {
	a, err := r.takeLive(ctx, job)
	if err != nil {
		return nil, err
	}
	fund, ok := a.open(job)
	if !ok {
		r.accounts.unpin(a, r.opt.Now())
		return nil, insufficient("begin live work")
	}
	return &tab{r: r, a: a, fund: fund, bill: pm.Debit{
		Account: job.Account, Session: job.Session, Pipeline: pm.LivePipeline, Model: job.Live, Price: job.Quote.Price,
	}}, nil
}

// Credit accepts a payment for live work, and changes nothing else.
func (r *Recipient) Credit(ctx context.Context, job *pm.Job) error {
	a, err := r.takeLive(ctx, job)
	if err != nil {
		r.opt.Recorder.PaymentRefused(job.Account.Sender, string(fault.CodeOf(err)))
		return err
	}
	r.accounts.unpin(a, r.opt.Now())
	return nil
}

// takeLive credits a payment for live work. It returns the account, pinned; nil where there is none.
func (r *Recipient) takeLive(ctx context.Context, job *pm.Job) (*account, error) {
	view, err := r.liveView(job)
	if err != nil {
		return nil, err
	}
	tickets := len(job.Payment.Tickets) > 0
	a, refusal := r.accounts.pin(job.Account, tickets)
	if tickets {
		err = r.takeTickets(ctx, job, view, a, refusal)
	} else {
		err = refusal
	}
	if err != nil {
		r.accounts.unpin(a, r.opt.Now())
		return nil, err
	}
	return a, nil
}

// liveView checks a payment for live work against its quote, and returns the chain's state.
func (r *Recipient) liveView(job *pm.Job) (*protocol.View, error) {
	if job.Quote.Price.Free() {
		return nil, pm.WrongPrice("live work has a price")
	}
	view, err := r.view(opAdmit)
	switch {
	case err != nil:
		return nil, err
	case !view.Self.Active:
		return nil, pm.NotActive(r.opt.Recipient, view.Round.Number)
	}
	return &view, checkParty(job)
}

// Available returns what a job's party may spend of its account.
func (r *Recipient) Available(job *pm.Job) pm.Value { return r.accounts.free(job) }

// open returns the part of the account that live work is charged from. It is false if that holds less than the
// estimate alongside jobs in progress, and what its gateway owes elsewhere; a nil account holds nothing.
func (a *account) open(job *pm.Job) (*fund, bool) {
	if a == nil {
		return nil, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.freeForLocked(job).Cmp(job.Quote.Price.Of(max(0, job.Estimate))) < 0 {
		return nil, false
	}
	return a.drawLocked(job, pm.Value{}), true
}

// Charge bills what the account holds.
func (t *tab) Charge(units int64) (billed int64) { return t.charge(units, true) }

// Held returns what the account holds.
func (t *tab) Held() int64 {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	return t.a.heldLocked(t.fund, t.bill.Price)
}

// Settle bills what the account does not hold, too.
func (t *tab) Settle(units int64) { t.charge(units, false) }

// charge bills units; held: no more than the account holds.
func (t *tab) charge(units int64, held bool) (billed int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || units <= 0 {
		return 0
	}
	bill := t.bill
	bill.Produced, bill.Round, bill.At = -1, t.r.opt.Chain.View().Round.Number, t.r.opt.Now()
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	if bill.Units = units; held {
		bill.Units = min(units, t.a.heldLocked(t.fund, bill.Price))
	}
	t.a.billLocked(&bill, t.fund, t.r.opt.Ledger.Book)
	return bill.Units
}

// heldLocked returns how many units the account pays for, or the part of it that is given.
func (a *account) heldLocked(f *fund, price pm.Price) int64 {
	left := a.balance.Sub(a.inProgress)
	if f != nil && f.root().left.Cmp(left) < 0 {
		left = f.root().left
	}
	return whole(left, price)
}

// billLocked subtracts a bill.
func (a *account) billLocked(bill *pm.Debit, f *fund, book func(pm.Entries)) {
	if bill.Units <= 0 {
		return
	}
	by := bill.Value().Neg()
	a.changeLocked(by)
	if f != nil {
		f.change(by)
	}
	// Under the lock: the ledger gets an account's entries in the order in which they count.
	book(pm.Entries{Debits: []pm.Debit{*bill}})
}

// whole returns how many units an amount pays for.
func whole(v pm.Value, price pm.Price) int64 {
	units := pm.ValueOf(new(big.Rat).Quo(v.Rat(), price.Rat())).Floor()
	switch {
	case units.Sign() <= 0:
		return 0
	case !units.IsInt64():
		return math.MaxInt64
	}
	return units.Int64()
}

// Close releases the account.
func (t *tab) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	t.r.accounts.unpin(t.a, t.r.opt.Now())
}
