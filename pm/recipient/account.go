package recipient

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// account is one balance. It may be negative, by no more than each of its jobs may owe.
type account struct {
	id    pm.Account
	payer *payer

	// pins, used and stale are guarded by the mutex of accounts. A stale account is from before
	// the start and must not be used again: it is closed before its next use.
	pins  int
	used  time.Time
	stale bool

	mu sync.Mutex
	// balance is what was paid less what was billed; inProgress is the estimate of the running
	// jobs. booked: the ledger has the account. Guarded by mu; balance and booked do not change
	// while the account is not pinned.
	balance, inProgress pm.Value
	jobs                int
	booked              bool
	// promised is what jobs whose tickets are being written will need of the balance. Guarded by mu.
	promised promises
	// funds are the parts of a model's balance, by the payer of each. Guarded by mu.
	funds []*fund
	// before is by what the payer of before the start is known; nil where that is not known. Nothing changes it.
	before *fund
}

// credit adds the value of a job's tickets, once they are on disk.
func (a *account) credit(job *pm.Job, v pm.Value) {
	a.payer.credit(v)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.proveLocked(job, v)
	a.changeLocked(v)
}

// changeLocked adds a payment or subtracts a bill.
func (a *account) changeLocked(by pm.Value) {
	before := a.deficitLocked()
	a.balance = a.balance.Add(by)
	a.booked = true
	if after := a.deficitLocked(); before.Cmp(after) != 0 {
		a.payer.addDeficit(after.Sub(before))
	}
}

// deficitLocked returns how far the balance is below zero.
func (a *account) deficitLocked() pm.Value {
	if a.balance.Sign() >= 0 {
		return pm.Value{}
	}
	return a.balance.Neg()
}

// freeLocked returns what is neither reserved for running jobs, nor promised to others, nor needed for what the
// gateway owes in other accounts.
func (a *account) freeLocked() pm.Value {
	return a.balance.Sub(a.inProgress).Sub(a.promised.sum).Sub(a.payer.owedElsewhere(a.deficitLocked()))
}

// reserve admits a job if the free balance covers what is needed, and reserves its estimate.
// Gateways estimate the same way and pay no less, so an honest one is never refused here.
func (a *account) reserve(job *pm.Job, cost, needed pm.Value) (*fund, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.promised.drop(job)
	if a.freeForLocked(job).Cmp(needed) < 0 {
		return nil, insufficient("admit a job")
	}
	a.inProgress = a.inProgress.Add(cost)
	a.jobs++
	return a.drawLocked(job, cost), nil
}

// coversMinimum checks the balance again after earlier jobs were billed.
func (a *account) coversMinimum(least core.Wei) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance.Cmp(pm.WeiValue(least)) < 0 {
		return insufficient("begin a job")
	}
	return nil
}

func insufficient(op string) error { return fault.New(fault.InsufficientBalance, op, "") }
