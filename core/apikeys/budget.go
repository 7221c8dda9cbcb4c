package apikeys

import (
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// budgeted checks whether n tokens are left of a budget.
func (a *account) budgeted(b Budget, n inference.Tokens) error {
	if left, limited := a.left(b); limited && n > left {
		return refuse(fault.BudgetSpent, 0, a.spentText(b, n, left))
	}
	return nil
}

// spentText returns the public text of a spent budget.
func (a *account) spentText(b Budget, n, left inference.Tokens) string {
	c := a.count(b)
	text := fmt.Sprintf("the request asks for up to %d, and %d are left of this API key's budget of %d", n, max(left, 0),
		b.Tokens)
	if c.Reserved > 0 {
		text += fmt.Sprintf(" (%d are held by requests in progress)", c.Reserved)
	}
	if end := c.Period.end(c.Start); !end.IsZero() {
		text += "; the next " + string(c.Period) + " begins at " + end.Format(time.RFC3339)
	}
	return text
}

// left returns what remains of a budget; false without one.
func (a *account) left(b Budget) (inference.Tokens, bool) {
	if b.Tokens <= 0 {
		return 0, false
	}
	c := a.count(b)
	return b.Tokens - c.Used - c.Reserved, true
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
	if a.leaving && (!b.Wei.IsZero() || !b.USD.IsZero()) {
		return USD{}, errLeft()
	}
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

// moneySpent is the refusal of a request that costs more than is left.
func (a *account) moneySpent(c *count, text string) error {
	if end := c.Period.end(c.Start); !end.IsZero() {
		text += "; the next " + string(c.Period) + " begins at " + end.Format(time.RFC3339)
	}
	return refuse(fault.BudgetSpent, 0, text)
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

// work takes work without tokens from the budget, all of it or nothing.
func (a *account) work(t *ticket, units inference.Units) error {
	w := reservation{work: bounded(inference.Tokens(units))}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.settled {
		return nil
	}
	a.startPeriods(a.now())
	l := &a.terms(t.key).Limits
	if err := w.within(l); err != nil {
		return err
	}
	if err := a.budgeted(l.Budget, w.work); err != nil {
		return err
	}
	t.work += w.work
	a.reserve(w.work)
	return nil
}

// reachStep is how much is taken at once from the budget for an answer that is longer than its
// reservation.
const reachStep = 64

// reach takes more from the budget for an answer that has this many tokens already.
func (a *account) reach(t *ticket, completion inference.Tokens) error {
	completion = bounded(completion)
	if int64(completion) <= t.bound.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.settled {
		return nil
	}
	a.startPeriods(a.now())
	missing := completion - inference.Tokens(t.bound.Load())
	more := max(missing, reachStep)
	left, limited := a.left(a.terms(t.key).Budget)
	if a.leaving {
		left = a.pool
	}
	if limited {
		more = min(more, max(left, 0))
	}
	t.bound.Add(int64(more))
	if a.leaving && limited {
		a.pool -= more // it is reserved
	} else {
		a.reserve(more)
	}
	a.tokens.correct(t.second, int64(more))
	if more < missing {
		return refuse(fault.BudgetSpent, 0,
			"this API key's budget was used up while the answer was written; a request that states max_tokens is sure of them")
	}
	return nil
}

// maxPercent is what is reported of a budget that was overrun by far.
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
