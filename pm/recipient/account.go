package recipient

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// account is one balance. It may be negative, by no more than one piece of work.
type account struct {
	id    pm.Account
	payer *payer

	// pins, used and stale are guarded by the mutex of accounts. A stale account is of
	// before the start and is not to be used again: it is closed before anybody has it.
	pins  int
	used  time.Time
	stale bool

	mu sync.Mutex
	// balance is what was paid less what was billed; inHand what the jobs in hand are
	// estimated at. booked says that the books know the account. Guarded by mu; balance
	// and booked do not change while nobody has the account pinned.
	balance, inHand pm.Value
	jobs            int
	booked          bool
	// funds are the parts of a model's balance, by who paid them in. Guarded by mu.
	funds []*fund
}

// credit adds what a job's tickets are worth, once they are on disk.
func (a *account) credit(job *pm.Job, v pm.Value) {
	a.payer.credit(v)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prove(job, v)
	a.change(v)
}

// change is what was paid, or billed. The caller holds mu.
func (a *account) change(by pm.Value) {
	before := a.short()
	a.balance = a.balance.Add(by)
	a.booked = true
	if after := a.short(); before.Cmp(after) != 0 {
		a.payer.shift(after.Sub(before))
	}
}

// short is by how much the balance is below nothing. The caller holds mu.
func (a *account) short() pm.Value {
	if a.balance.Sign() >= 0 {
		return pm.Value{}
	}
	return a.balance.Neg()
}

// free is what nothing has been put aside for: not for jobs in hand, nor for what its
// gateway owes elsewhere. The caller holds mu.
func (a *account) free() pm.Value {
	return a.balance.Sub(a.inHand).Sub(a.payer.owes(a.short()))
}

// reserve takes a job in hand if what is free for it covers its estimate and is what is
// needed at least. Gateways estimate the same way and pay no less, so one that keeps
// to it never notices.
func (a *account) reserve(job *pm.Job, cost, needed pm.Value) (*fund, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.freeFor(job).Cmp(needed) < 0 {
		return nil, insufficient("admit a job")
	}
	a.inHand = a.inHand.Add(cost)
	a.jobs++
	return a.draw(job, cost), nil
}

// covers asks again, when jobs before this one have been billed.
func (a *account) covers(least core.Wei) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance.Cmp(pm.WeiValue(least)) < 0 {
		return insufficient("begin a job")
	}
	return nil
}

// pays asks whether the account pays a bill for which cost was put aside, but for so much.
// Beyond that its gateway may owe no more than most in all its accounts together: what is
// promised of it counts until the job is out of hand.
func (a *account) pays(cost, bill, owing, most pm.Value) (promised pm.Value, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.inHand.Sub(cost)
	missing := bill.Sub(a.balance.Sub(others))
	switch {
	case missing.Cmp(owing) <= 0:
		return pm.Value{}, nil
	case a.payer.promise(missing, a.short(), most):
		return missing, nil
	}
	return pm.Value{}, insufficient("bill a job")
}

func insufficient(op string) error { return fault.New(fault.InsufficientBalance, op, "") }
