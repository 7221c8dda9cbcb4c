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
	id pm.Account

	// pins and used are guarded by the mutex of accounts.
	pins int
	used time.Time

	mu sync.Mutex
	// balance is what was paid less what was billed; inHand what the jobs in hand are
	// estimated at. booked says that the books know the account. Guarded by mu; balance
	// and booked do not change while nobody has the account pinned.
	balance, inHand pm.Value
	jobs            int
	booked          bool
}

// credit adds what tickets are worth, once they are on disk.
func (a *account) credit(v pm.Value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = a.balance.Add(v)
	a.booked = true
}

// reserve takes a job in hand if what is not reserved covers a ticket's value. The
// job itself may come to more: so at most one is unpaid.
func (a *account) reserve(cost pm.Value, least core.Wei) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance.Sub(a.inHand).Cmp(pm.WeiValue(least)) < 0 {
		return insufficient("admit a job")
	}
	a.inHand = a.inHand.Add(cost)
	a.jobs++
	return nil
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

func insufficient(op string) error { return fault.New(fault.InsufficientBalance, op, "") }
