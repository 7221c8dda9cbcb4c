package sender

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Outcome is the result of a job that was paid for.
type Outcome int

// The outcomes.
const (
	// Served: the work was done, and is billed.
	Served Outcome = iota
	// Refused: the orchestrator would not begin. The balance from before is still there.
	// Whether the tickets were accepted is unknown, so they count as spent.
	Refused
	// Short: the orchestrator reports less than this gateway counted. A debt stays.
	Short
	// Failed: it was sent and failed. All of it counts as spent.
	Failed
	// Unsent: nothing left this gateway.
	Unsent
	// Abandoned: the client left before the answer. The orchestrator may have worked (see
	// Left).
	Abandoned
	// InputBad: the input was unusable, and nothing is billed. The payment is still in the
	// balance, and is not paid again. It stops no orchestrator, but counts towards the unworked
	// amounts of it and of the client.
	InputBad
)

// Settle records the job's outcome at the orchestrator, and how many units it bills if it was
// served. Further calls do nothing.
func (p *Payment) Settle(how Outcome, units int64) {
	if p.settled.Swap(true) {
		return
	}
	s, k, now := p.s, p.terms.account(), p.s.opt.Now()
	switch how {
	case Unsent:
		p.received.Store(true)
		s.reverseCharge(p.terms, p.job)
	case Refused, Short, Failed:
		p.Received(0)
	case InputBad:
		p.count(func(c *credit, j job, _ time.Time) pm.Value { return c.deferLoss(j) })
	case Abandoned:
		p.Left(p.record.Estimate)
	case Served: // Received records the work
	}
	whole := p.drawn.value.Add(p.credit)
	switch how {
	case Served:
		bill := p.terms.Price.Cost(max(0, units))
		p.spent = bill
		s.settleDraw(k, p.drawn, whole.Sub(bill), now)
		p.billed.Store(bill.Sign() > 0)
		s.recordResult(p, paymentlog.Answered, max(0, units))
	case Refused:
		p.spent = p.credit
		s.loseDraw(k, p.drawn, p.drawn.value, now)
		s.recordResult(p, paymentlog.Refused, 0)
	case Unsent:
		s.restoreDraw(k, p.drawn)
		s.recordResult(p, paymentlog.Unsent, 0)
	case Short:
		p.spent = whole.Sub(debt(p.drawn.value))
		s.writeOffBalance(k, p.drawn, now)
		s.recordResult(p, paymentlog.Refused, 0)
	case InputBad:
		s.settleDraw(k, p.drawn, whole, now)
		s.recordResult(p, paymentlog.Failed, 0)
	case Failed, Abandoned:
		// A debt stays one.
		p.spent = whole.Sub(debt(whole))
		s.loseDraw(k, p.drawn, debt(whole), now)
		if how == Failed {
			s.recordDrained(p)
		}
		s.recordResult(p, paymentlog.Failed, 0)
	}
}

// Spent returns, after Settle, what the job cost: what was taken out of the balance and sent in tickets, and is not in
// the balance any more. It is the bill of a job that was served, and what was lost with one that was not. All that was
// sent in tickets is what jobs spent and what is left in balances, or was lost with one that was closed.
func (p *Payment) Spent() pm.Value { return p.spent }

// ChargeRequest says, before Settle, that what the job costs is charged to the client's request.
func (p *Payment) ChargeRequest() { p.charged = true }

// Charge returns, after Settle, what the job costs a client's request: Spent in whole wei, rounded up.
func (p *Payment) Charge() core.Wei {
	w, _ := core.WeiOf(p.spent.Ceil()) // it is neither negative nor more than all ether
	return w
}

// Received records how many units of work arrived, as this gateway counts: 0 if none is usable.
// Payment beyond them stays on the orchestrator's credit. Further calls do nothing.
func (p *Payment) Received(units int64) {
	p.count(func(c *credit, j job, now time.Time) pm.Value { return c.receive(j, p.terms.worth(units), now) })
}

// Left is Received where the client left before the work arrived; units is how much may have
// been done. It does not stop the orchestrator; it is excused alongside work for others.
func (p *Payment) Left(units int64) { p.LeftAfter(0, units) }

// LeftAfter is Left where some units arrived before the client left: these count as work, of up
// to units in all.
func (p *Payment) LeftAfter(came, units int64) {
	p.count(func(c *credit, j job, now time.Time) pm.Value {
		return c.excuse(j, p.terms.worth(came), p.terms.worth(units), now)
	})
}

// Forgo records, before Settle, that the job failed and its request may be the cause: the
// payment waits, as for bad input. Blame reverses that.
func (p *Payment) Forgo() {
	first := false
	p.count(func(c *credit, j job, _ time.Time) pm.Value {
		first, p.forgone = true, true
		return c.deferLoss(j)
	})
	if first && p.billed.Load() {
		p.s.recordDrained(p)
	}
}

// Blame records that another orchestrator did the forgone job: the request was not the cause,
// and the payment counts against the one that failed.
func (p *Payment) Blame() {
	s := p.s
	if p.terms.Price.Free() || p.blamed.Swap(true) {
		return
	}
	s.mu.Lock()
	c := s.creditLocked(p.terms.payee())
	if c == nil || !p.forgone {
		s.mu.Unlock()
		return
	}
	limit, was := pm.WeiValue(s.opt.Limits.MaxCredit), c.stopped
	if c.blame(job{amount: p.job.amount, client: p.clientOf(c)}, p.drained); limit.Sign() > 0 {
		c.mayStop(p.job.amount, limit)
	}
	changed, detail := c.stopped != was, c.describe()
	s.saveCreditLocked(p.terms.payee(), c)
	s.mu.Unlock()
	s.reportCredit(p.terms.payee(), true, changed, detail)
}

// debt returns the negative part of a balance.
func debt(v pm.Value) pm.Value {
	if v.Sign() < 0 {
		return v
	}
	return pm.Value{}
}

// recordResult records the result. A payment without tickets was not recorded yet; if it failed and lost nothing, it
// is not worth a record.
func (s *Sender) recordResult(p *Payment, state paymentlog.State, units int64) {
	r := paymentlog.Result{State: state, Units: units, Settled: s.opt.Now()}
	if state != paymentlog.Answered {
		r.Lost = p.spent
	}
	if p.charged {
		r.Charged = p.Charge()
	}
	switch {
	case p.record.ID != 0:
		s.opt.Book.Settle(p.record.ID, r)
	case state == paymentlog.Answered, p.spent.Sign() > 0:
		record := p.record
		record.Result = r
		s.opt.Book.Record(&record)
	}
}
