package sender

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// creditHalves is how often half of what an orchestrator did not work for is forgiven.
	creditHalves = time.Hour
	// workSpan is how long work counts as recent: to the end of the next span.
	workSpan = 5 * time.Minute
	// goodShare: work makes good for a sixteenth of its worth of earlier losses.
	goodShare = 16
	// startShare is how many times its first work a stream or a model may leave unused,
	// startGwei how much more, which is four tickets of the network's usual worth. Both
	// come back after startAgain. A session is paid ahead by a segment, whose estimate may
	// be three times what is billed, and a ticket.
	startShare = 3
	startGwei  = 32
	startAgain = 20 * time.Minute
	// leftShare: of jobs that clients left, as many are excused as half of the recent work
	// is worth.
	leftShare = 2
	// maxCredits bounds the orchestrators whose credit is kept, maxStarts the streams and
	// models of one that are remembered.
	maxCredits, maxStarts = 1 << 12, 1 << 12
)

// credit is what one orchestrator was paid and has not worked for, over all its sessions,
// recipients and models. The mirror of its balances says how many tickets it wants; the
// credit says whether it gets them. It is guarded by Sender.mu. Amounts are whole wei.
type credit struct {
	// unworked was paid for what is over, inProgress for jobs that are being done.
	unworked, inProgress pm.Value
	// halved is when unworked was halved last.
	halved time.Time
	// worked is the work of the span that began at span, and of the one before.
	worked [2]pm.Value
	span   time.Time
	// left are the jobs of these spans that were excused because their clients left.
	left [2]pm.Value
	// starts are the streams and models that it works for, since when.
	starts map[string]time.Time
	// stopped: it is paid nothing until it holds half of what it may.
	stopped bool
	// freed is closed when less is in progress.
	freed chan struct{}
}

func newCredit(now time.Time) *credit {
	return &credit{halved: now, span: now, starts: make(map[string]time.Time), freed: make(chan struct{})}
}

// pass brings a credit up to a time.
func (c *credit) pass(now time.Time) {
	// A clock that was ahead must not keep anything for as long as it was.
	if c.halved.After(now) {
		c.halved = now
	}
	if c.span.After(now) {
		c.span = now
	}
	if n := now.Sub(c.halved) / creditHalves; n > 0 {
		c.unworked = halve(c.unworked, uint(min(n, 1<<10)))
		c.halved = c.halved.Add(n * creditHalves)
	}
	switch age := now.Sub(c.span); {
	case age >= 2*workSpan:
		c.worked, c.left, c.span = [2]pm.Value{}, [2]pm.Value{}, now
	case age >= workSpan:
		c.worked, c.left = [2]pm.Value{{}, c.worked[0]}, [2]pm.Value{{}, c.left[0]}
		c.span = c.span.Add(workSpan)
	}
}

// forget drops the streams and models whose first work is a while ago.
func (c *credit) forget(now time.Time) {
	for k, at := range c.starts {
		if at.After(now) || now.Sub(at) >= startAgain {
			delete(c.starts, k)
		}
	}
}

// begins reports whether work for a stream or a model is its first in a while.
func (c *credit) begins(start string, now time.Time) bool {
	at, known := c.starts[start]
	if known && now.Sub(at) < startAgain || !known && len(c.starts) >= maxStarts {
		return false
	}
	c.starts[start] = now
	return true
}

// bound is what an orchestrator may hold: what the operator says, and as much as it worked
// for recently, so that those with many streams are not held up.
func (c *credit) bound(limit pm.Value) pm.Value { return limit.Add(c.worked[0]).Add(c.worked[1]) }

// held is all that was paid without work so far.
func (c *credit) held() pm.Value { return c.unworked.Add(c.inProgress) }

// admit reports whether so much more may be paid: "" or the code of why not.
func (c *credit) admit(amount, limit pm.Value) fault.Code {
	bound := c.bound(limit)
	if c.stopped && c.unworked.Times(2).Cmp(bound) <= 0 {
		c.stopped = false
	}
	switch {
	case c.stopped:
		return fault.PaidWorkMissing
	case c.held().Add(amount).Cmp(bound) <= 0:
		return ""
	case c.stop(amount, limit):
		return fault.PaidWorkMissing
	}
	return fault.CreditInUse
}

// stop stops an orchestrator that holds so much without work that such a payment does not
// go to it any more, whatever becomes of the jobs in progress.
func (c *credit) stop(amount, limit pm.Value) bool {
	bound := c.bound(limit)
	c.stopped = c.stopped || c.unworked.Add(amount).Cmp(bound) > 0 && c.unworked.Times(2).Cmp(bound) > 0
	return c.stopped
}

// end ends a job, whose payment is no longer in progress.
func (c *credit) end(amount pm.Value) {
	if amount.Sign() > 0 {
		c.inProgress = c.inProgress.Sub(amount)
		close(c.freed)
		c.freed = make(chan struct{})
	}
}

// receive ends a job that was paid with an amount and brought work of some worth, for a
// stream or a model. It returns how much of the payment is unworked now.
func (c *credit) receive(amount, work pm.Value, start string, now time.Time) (lost pm.Value) {
	c.end(amount)
	good := work
	if work.Sign() > 0 {
		c.worked[0] = c.worked[0].Add(work)
		good = work.Add(whole(part(work, goodShare)))
		if c.begins(start, now) {
			good = good.Add(work.Times(startShare)).Add(gwei(startGwei))
		}
	}
	return c.lose(amount, good)
}

// excuse ends a job that its client left, of which some work may have been done. Clients
// leave an orchestrator that does not answer as well: such a job is no work that more is
// paid for, and is held against it where too many are left.
func (c *credit) excuse(amount, work pm.Value) (lost pm.Value) {
	c.end(amount)
	most := part(c.worked[0].Add(c.worked[1]), leftShare).Sub(c.left[0]).Sub(c.left[1])
	good := least(work, most, c.unworked.Add(amount))
	if good = whole(good); good.Sign() < 0 {
		good = pm.Value{}
	}
	c.left[0] = c.left[0].Add(good)
	return c.lose(amount, good)
}

// lose counts what was paid and what is good for it. It returns how much of the payment is
// unworked now.
func (c *credit) lose(amount, good pm.Value) pm.Value {
	before := c.unworked
	c.unworked = before.Add(amount).Sub(good)
	if c.unworked.Sign() < 0 {
		c.unworked = pm.Value{}
	}
	return c.unworked.Sub(before)
}

func least(v pm.Value, others ...pm.Value) pm.Value {
	for _, o := range others {
		if o.Cmp(v) < 0 {
			v = o
		}
	}
	return v
}

// whole cuts off what is not a whole wei.
func whole(v pm.Value) pm.Value { return pm.ValueOf(new(big.Rat).SetInt(v.Floor())) }

// wholeUp adds what is missing to a whole wei.
func wholeUp(v pm.Value) pm.Value { return whole(v.Neg()).Neg() }

func part(v pm.Value, n int64) pm.Value {
	r := v.Rat()
	return pm.ValueOf(r.Quo(r, new(big.Rat).SetInt64(n)))
}

func halve(v pm.Value, times uint) pm.Value {
	return pm.ValueOf(new(big.Rat).SetInt(new(big.Int).Rsh(v.Floor(), times)))
}

func gwei(n int64) pm.Value { return pm.ValueOf(new(big.Rat).SetInt64(n * 1e9)) }
