package apikeys

import (
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Bill is what one request paid. It is a Funds that takes from the request's key.
type Bill struct {
	grant *Grant
	// paid and lost are in wei, dollars in USD; set before the request ends.
	paid, lost atomic.Pointer[core.Wei]
	dollars    atomic.Pointer[USD]
}

var _ inference.Funds = (*Bill)(nil)

// NewBill begins the bill of a request; a nil grant belongs to no key.
func NewBill(g *Grant) *Bill { return &Bill{grant: g} }

// Hold takes what an attempt may cost from the key's budget. The errors are the faults BudgetSpent and
// BudgetRateUnknown.
func (b *Bill) Hold(cost core.Wei) (func(spent core.Wei, lost bool), error) {
	var a *account
	if b.grant != nil {
		a = b.grant.account
	}
	if a == nil {
		return func(spent core.Wei, lost bool) { b.add(spent, USD{}, lost) }, nil
	}
	dollars, err := a.holdMoney(&b.grant.ticket, cost)
	if err != nil {
		return nil, err
	}
	return func(spent core.Wei, lost bool) { b.add(spent, a.payMoney(cost, dollars, spent), lost) }, nil
}

// add adds one attempt.
func (b *Bill) add(spent core.Wei, dollars USD, lost bool) {
	addTo(&b.paid, spent, core.Wei.Add)
	addTo(&b.dollars, dollars, USD.Add)
	if lost {
		addTo(&b.lost, spent, core.Wei.Add)
	}
}

func addTo[T any](to *atomic.Pointer[T], more T, add func(T, T) T) {
	for {
		old := to.Load()
		sum := more
		if old != nil {
			sum = add(*old, more)
		}
		if to.CompareAndSwap(old, &sum) {
			return
		}
	}
}

// Total returns what was paid so far, the part of it that went to attempts without an answer, and the same as paid in
// dollars, which is 0 where no rate was known.
func (b *Bill) Total() (paid, lost core.Wei, dollars USD) {
	if b == nil {
		return paid, lost, dollars
	}
	return valueOf(&b.paid), valueOf(&b.lost), valueOf(&b.dollars)
}

func valueOf[T any](p *atomic.Pointer[T]) (v T) {
	if at := p.Load(); at != nil {
		v = *at
	}
	return v
}

// payMoney gives back what was held, and counts what was paid. It returns that in dollars.
func (a *account) payMoney(held core.Wei, heldUSD USD, spent core.Wei) USD {
	var dollars USD
	rate, known := a.rate(false)
	switch {
	case !heldUSD.IsZero() && (!known || spent.Cmp(held) == 0):
		dollars = heldUSD.part(spent, held) // the rate of when it was paid
	case known:
		dollars = usdOf(spent, rate)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.startPeriods(a.now())
	for i := range a.counts {
		c := &a.counts[i]
		c.Held, c.HeldUSD = c.Held.Sub(held), c.HeldUSD.Sub(heldUSD)
		c.Paid, c.PaidUSD = c.Paid.Add(spent), c.PaidUSD.Add(dollars)
	}
	a.dirty = true
	return dollars
}
