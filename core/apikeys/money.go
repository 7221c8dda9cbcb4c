package apikeys

import (
	"fmt"
	"math/big"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// ID returns the key's ID, "" where no key was needed.
func (g *Grant) ID() string {
	if g == nil || g.account == nil {
		return ""
	}
	g.account.mu.Lock()
	defer g.account.mu.Unlock()
	return g.account.key.ID
}

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

// holdMoney takes a price from the budget, all of it or nothing. It returns the price in dollars.
func (a *account) holdMoney(t *ticket, cost core.Wei) (USD, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.startPeriods(a.now())
	b := a.terms(t.key).Budget
	rate, known := a.rate(!b.USD.IsZero())
	var dollars USD
	if known {
		dollars = usdOf(cost, rate)
	}
	a.keep(b)
	c := a.count(b)
	if left := b.Wei.Sub(c.Paid).Sub(c.Held); !b.Wei.IsZero() && cost.Cmp(left) > 0 {
		return USD{}, a.moneySpent(c, fmt.Sprintf(
			"the request may cost %s wei, and %s are left of this API key's budget of %s", cost, left, b.Wei))
	}
	if !b.USD.IsZero() && !known && !cost.IsZero() {
		return USD{}, refuse(fault.BudgetRateUnknown, rateRetry,
			"this API key's budget is in dollars, and their rate is not known")
	}
	if left := b.USD.Sub(c.PaidUSD).Sub(c.HeldUSD); !b.USD.IsZero() && dollars.Cmp(left) > 0 {
		return USD{}, a.moneySpent(c, fmt.Sprintf(
			"the request may cost %s dollars, and %s are left of this API key's budget of %s", dollars, left, b.USD))
	}
	for i := range a.counts {
		c := &a.counts[i]
		c.Held, c.HeldUSD = c.Held.Add(cost), c.HeldUSD.Add(dollars)
	}
	a.dirty = true
	return dollars, nil
}

// rateRetry is how soon the rate of dollars may be known.
const rateRetry = 10 * time.Second

// rate returns what a dollar is in wei, false while that is not known.
func (a *account) rate(needed bool) (*big.Rat, bool) {
	if a.weiPerUSD == nil {
		return nil, false
	}
	r, ok := a.weiPerUSD(needed)
	return r, ok && r != nil && r.Sign() > 0
}

// moneySpent is the refusal of a request that costs more than is left.
func (a *account) moneySpent(c *count, text string) error {
	if end := c.Period.end(c.Start); !end.IsZero() {
		text += "; the next " + string(c.Period) + " begins at " + end.Format(time.RFC3339)
	}
	return refuse(fault.BudgetSpent, 0, text)
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

// moneyLeft refuses a request whose key has nothing left to pay with, before an orchestrator is looked for.
func (a *account) moneyLeft(b Budget) error {
	c := a.count(b)
	switch {
	case !b.Wei.IsZero() && c.Paid.Cmp(b.Wei) >= 0:
		return a.moneySpent(c, fmt.Sprintf("this API key's budget of %s wei is spent", b.Wei))
	case !b.USD.IsZero() && c.PaidUSD.Cmp(b.USD) >= 0:
		return a.moneySpent(c, fmt.Sprintf("this API key's budget of %s dollars is spent", b.USD))
	}
	return nil
}

// maxPercent is the most that Percent returns for a budget that was overrun.
const maxPercent = 1000

// Percent returns the part of the budget that is used, of the limit that is used most, in whole percent.
func (s *State) Percent() int {
	b, u := s.Key.Budget, s.Usage
	part := func(used, of *big.Int) int {
		if of.Sign() <= 0 {
			return 0
		}
		n := new(big.Int).Mul(used, big.NewInt(100))
		if n.Quo(n, of); !n.IsInt64() {
			return maxPercent
		}
		return int(min(n.Int64(), maxPercent))
	}
	return max(part(big.NewInt(int64(u.Used)), big.NewInt(int64(b.Tokens))), part(u.Paid.Big(), b.Wei.Big()),
		part(u.PaidUSD.places.Big(), b.USD.places.Big()))
}
