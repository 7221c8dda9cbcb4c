package sender

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// creditWait is how long a segment's payment waits for running jobs.
const creditWait = 2 * time.Second

// charge adds a payment to its orchestrator's credit, within its bound and its client's share.
// If only running jobs are in the way, a segment waits a moment for one to end; a model's job
// goes elsewhere. Errors are the faults PaidWorkMissing and CreditInUse.
func (s *Sender) charge(ctx context.Context, t *Terms, amount pm.Value) (*share, error) {
	a := s.tryCharge(t, amount)
	if a.later && t.Model == "" {
		timer := time.NewTimer(creditWait)
		defer timer.Stop()
		for over := false; a.later && !over; {
			select {
			case <-a.freed:
				a = s.tryCharge(t, amount)
			case <-timer.C:
				over = true
			case <-ctx.Done():
				over = true
			}
		}
	}
	if a.code == "" {
		return a.client, nil
	}
	return nil, fault.New(a.code, "make payment", t.payee()+" "+a.detail)
}

// mayDraw says whether a job without tickets may be paid from a balance. The error is the fault
// CreditInUse.
func (s *Sender) mayDraw(t *Terms) error {
	limit := pm.WeiValue(s.opt.Limits.MaxCredit)
	if limit.Sign() == 0 || t.Price.Free() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.creditLocked(t.payee())
	if c == nil || c.mayDraw(limit, c.share(t.client())) {
		return nil
	}
	return fault.New(fault.CreditInUse, "make payment", t.payee()+" "+c.describe())
}

// recordDrained records the value of a failed but billed job beyond its own tickets, if its
// request may be the cause.
func (s *Sender) recordDrained(p *Payment) {
	t := p.terms
	if t.Price.Free() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.creditLocked(t.payee()); c != nil && p.forgone {
		p.drained = c.recordDrain(p.clientOf(c), t.worth(p.record.Estimate).Sub(p.job.amount))
		s.saveCreditLocked(t.payee(), c)
	}
}

// fits reports whether so many tickets may be charged at once.
func (s *Sender) fits(t *Terms, n int) bool {
	limit := pm.WeiValue(s.opt.Limits.MaxCredit)
	if limit.Sign() == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.creditLocked(t.payee())
	if c == nil {
		return false
	}
	tried := *c // admit may stop the credit; the copy keeps it
	code, _ := tried.admit(ceilWei(t.ev.Times(int64(n))), limit, c.share(t.client()))
	return code == ""
}

// chargeResult says whether a payment may be made: code is the refusal, detail its text. later:
// it may be once freed is closed.
type chargeResult struct {
	code   fault.Code
	detail string
	client *share
	later  bool
	freed  <-chan struct{}
}

// tryCharge is charge without waiting.
func (s *Sender) tryCharge(t *Terms, amount pm.Value) (a chargeResult) {
	s.mu.Lock()
	c := s.creditLocked(t.payee())
	if c == nil {
		s.mu.Unlock()
		return chargeResult{code: fault.CreditInUse, detail: "is one orchestrator of too many"}
	}
	a.client, a.freed = c.share(t.client()), c.freed
	limit, was := pm.WeiValue(s.opt.Limits.MaxCredit), c.stopped
	if limit.Sign() > 0 {
		a.code, a.later = c.admit(amount, limit, a.client)
	}
	changed := c.stopped != was
	if a.code != "" || changed {
		a.detail = c.describe()
	}
	if a.code == "" {
		c.begin(job{amount: amount, client: a.client})
	}
	if changed || a.code == "" {
		s.saveCreditLocked(t.payee(), c)
		defer s.reportCredit(t.payee(), c.stopped, changed, a.detail)
	}
	s.mu.Unlock()
	return a
}

// describe says what an orchestrator has not worked for.
func (c *credit) describe() string {
	in := func(v pm.Value) *big.Int { return divide(v, 1e9).Floor() }
	text := fmt.Sprintf("has not worked for %d gwei that it was paid", in(c.missing))
	if c.waiting.Sign() > 0 {
		text += fmt.Sprintf(", and holds %d gwei for input that was bad and jobs that clients left", in(c.waiting))
	}
	return text
}

// creditLocked finds or makes a credit, up to date; nil if there are too many.
func (s *Sender) creditLocked(payee string) *credit {
	now := s.opt.Now()
	c := s.credits[payee]
	if c == nil {
		if len(s.credits) >= maxCredits {
			return nil
		}
		c = newCredit(now)
		s.credits[payee] = c
	}
	c.advance(now)
	return c
}

// reverseCharge takes back a charge of which nothing was sent.
func (s *Sender) reverseCharge(t *Terms, j job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.credits[t.payee()]; c != nil && j.amount.Sign() > 0 {
		c.end(j)
		s.saveCreditLocked(t.payee(), c)
	}
}

// count records the outcome of a payment on its credit, once.
func (p *Payment) count(how func(c *credit, j job, now time.Time) (lost pm.Value)) {
	s, t := p.s, p.terms
	if p.received.Swap(true) || t.Price.Free() {
		return
	}
	s.mu.Lock()
	c := s.creditLocked(t.payee())
	if c == nil {
		s.mu.Unlock()
		return
	}
	j := p.job
	j.client = p.clientOf(c)
	j.estimate, j.start = t.worth(p.record.Estimate), t.start()
	lost := how(c, j, s.opt.Now())
	s.opt.Recorder.PaidUnworked(t.payee(), lost, c.held())
	limit, was := pm.WeiValue(s.opt.Limits.MaxCredit), c.stopped
	if lost.Sign() > 0 && limit.Sign() > 0 {
		c.mayStop(j.amount, limit)
	}
	changed, detail := c.stopped != was, ""
	if changed {
		detail = c.describe()
	}
	s.saveCreditLocked(t.payee(), c)
	s.mu.Unlock()
	s.reportCredit(t.payee(), true, changed, detail)
}

// clientOf returns the share of the payment's client, also where nothing was charged.
func (p *Payment) clientOf(c *credit) *share {
	if p.job.client != nil {
		return p.job.client
	}
	return c.share(p.terms.client())
}

// worth returns the price of some units.
func (t *Terms) worth(units int64) pm.Value { return floorWei(t.Price.Of(max(0, units))) }

// Credit is what one orchestrator was paid and has not worked for.
type Credit struct {
	// Payee is its account on the chain, or the address at which the operator has it asked.
	Payee string
	// Unworked was paid for finished jobs, InProgress for running ones; Bound is the most that
	// both may come to.
	Unworked, InProgress, Bound pm.Value
	// Stopped: it is paid nothing more until it holds half of Bound.
	Stopped bool
	// Balance is what is left in its accounts, in whole wei of each, as this gateway counts: further
	// jobs of the same session or model are paid from it.
	Balance pm.Value
}

// Credits lists the orchestrators that hold something, unordered.
func (s *Sender) Credits() []Credit {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, limit := s.opt.Now(), pm.WeiValue(s.opt.Limits.MaxCredit)
	balances := s.balancesLocked(now)
	out := make([]Credit, 0, len(s.credits))
	for payee, c := range s.credits {
		c.advance(now)
		out = append(out, Credit{Payee: payee, Unworked: c.unworked(), InProgress: c.inProgress, Bound: c.bound(limit),
			Stopped: c.stopped, Balance: balances[payee]})
		delete(balances, payee)
	}
	for payee, left := range balances {
		out = append(out, Credit{Payee: payee, Bound: limit, Balance: left})
	}
	return out
}

// balancesLocked adds up the positive balances at each payee.
func (s *Sender) balancesLocked(now time.Time) map[string]pm.Value {
	out := make(map[string]pm.Value)
	for _, a := range s.accounts {
		if a.value.Sign() > 0 && !a.expired(now) {
			out[a.payee] = out[a.payee].Add(floorWei(a.value))
		}
	}
	return out
}

// Forgive writes off what an orchestrator did not work for, so that it is paid again. It is
// false for an unknown payee.
func (s *Sender) Forgive(payee string) bool {
	s.mu.Lock()
	c := s.credits[payee]
	if c != nil {
		c.missing, c.waiting, c.stopped = pm.Value{}, pm.Value{}, false
		for _, sh := range c.clients {
			sh.open, sh.drained = pm.Value{}, pm.Value{}
		}
		s.opt.Recorder.PaidUnworked(payee, pm.Value{}, c.held())
		s.saveCreditLocked(payee, c)
	}
	s.mu.Unlock()
	if c != nil {
		s.reportCredit(payee, false, true, "")
	}
	return c != nil
}

// payee is whose credit it is.
func (t *Terms) payee() string { return t.to }

// client names the client that caused the payment.
func (t *Terms) client() string { return cmp.Or(t.Client, t.start()) }

// start names the stream or the model of a session, for its first work.
func (t *Terms) start() string {
	if t.Model != "" {
		return "model " + t.Pipeline + " " + t.Model
	}
	return "stream " + string(t.Push)
}
