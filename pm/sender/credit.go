package sender

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// creditHalves is how often half of the unworked payments of an orchestrator is forgiven.
	creditHalves = time.Hour
	// workSpan is how long work counts as recent: to the end of the next span.
	workSpan = 5 * time.Minute
	// goodShare: work offsets earlier losses by a sixteenth of its value.
	goodShare = 16
	// startShare is how many times its first work a stream or a model may leave unused,
	// startGwei how much more: four tickets of the network's usual value. Both are granted
	// again after startAgain. A session is paid ahead by a segment, whose estimate may be three
	// times the bill, and a ticket.
	startShare = 3
	startGwei  = 32
	startAgain = 20 * time.Minute
	// leftShare: abandoned jobs are excused up to half of the value of recent work.
	leftShare = 2
	// maxCredits bounds the orchestrators whose credit is kept, maxStarts the streams and
	// models of one that are remembered.
	maxCredits, maxStarts = 1 << 12, 1 << 12
)

// credit is what one orchestrator was paid and has not worked for, over all its sessions,
// recipients and models. The mirror of its balances says how many tickets it asks for; the
// credit says whether it gets them. It is guarded by Sender.mu. Amounts are whole wei.
type credit struct {
	// missing was paid for work that the orchestrator failed to do. waiting was paid for jobs
	// that failed because of a client: no work was possible, so it does not stop the
	// orchestrator, and only waits to be used. inProgress is for running jobs.
	missing, waiting, inProgress pm.Value
	// halved is when missing and waiting were halved last.
	halved time.Time
	// worked is the work of the span that began at span, and of the one before.
	worked [2]pm.Value
	span   time.Time
	// left is what was excused in these spans because clients left.
	left [2]pm.Value
	// starts are the streams and models that it works for, and since when.
	starts map[string]time.Time
	// clients are the shares of the clients that cause the payments.
	clients map[string]*share
	// stopped: it is paid nothing until it holds at most half of its bound.
	stopped bool
	// freed is closed when inProgress shrinks.
	freed chan struct{}
}

func newCredit(now time.Time) *credit {
	return &credit{
		halved: now, span: now, starts: make(map[string]time.Time), clients: make(map[string]*share),
		freed: make(chan struct{}),
	}
}

// job is one payment as the credit counts it.
type job struct {
	// amount is what was paid, estimate what the work was estimated at.
	amount, estimate pm.Value
	client           *share
	// start names the stream or the model.
	start string
}

// advance brings a credit up to a time.
func (c *credit) advance(now time.Time) {
	// A clock that was ahead must not extend anything.
	if c.halved.After(now) {
		c.halved = now
	}
	if c.span.After(now) {
		c.span = now
	}
	hours, spans := now.Sub(c.halved)/creditHalves, 0
	if hours > 0 {
		times := uint(min(hours, 1<<10))
		c.missing, c.waiting = halve(c.missing, times), halve(c.waiting, times)
		c.halved = c.halved.Add(hours * creditHalves)
	}
	switch age := now.Sub(c.span); {
	case age >= 2*workSpan:
		spans = 2
		c.worked, c.left, c.span = [2]pm.Value{}, [2]pm.Value{}, now
	case age >= workSpan:
		spans = 1
		c.worked, c.left = [2]pm.Value{{}, c.worked[0]}, [2]pm.Value{{}, c.left[0]}
		c.span = c.span.Add(workSpan)
	}
	c.advanceShares(hours, spans)
}

// forget drops streams and models whose first work is a while ago, and clients without a
// record.
func (c *credit) forget(now time.Time) {
	for k, at := range c.starts {
		if at.After(now) || now.Sub(at) >= startAgain {
			delete(c.starts, k)
		}
	}
	for client, sh := range c.clients {
		if sh.idle() {
			delete(c.clients, client)
		}
	}
}

// isFirstWork reports whether work for a stream or a model is its first in a while.
func (c *credit) isFirstWork(start string, now time.Time) bool {
	at, known := c.starts[start]
	if known && now.Sub(at) < startAgain || !known && len(c.starts) >= maxStarts {
		return false
	}
	c.starts[start] = now
	return true
}

// bound returns what an orchestrator may hold: the operator's limit plus the value of its recent
// work, so that those with many streams are not delayed.
func (c *credit) bound(limit pm.Value) pm.Value { return limit.Add(c.worked[0]).Add(c.worked[1]) }

// unworked was paid for finished jobs without work.
func (c *credit) unworked() pm.Value { return c.missing.Add(c.waiting) }

// held returns all that was paid without work so far.
func (c *credit) held() pm.Value { return c.unworked().Add(c.inProgress) }

// admit reports whether an amount may be paid for a client's job: "" or the code of the
// refusal. later: it may be when running jobs end.
func (c *credit) admit(amount, limit pm.Value, client *share) (code fault.Code, later bool) {
	bound := c.bound(limit)
	switch {
	case c.stopped && !c.mayResume(limit), c.mayStop(amount, limit):
		return fault.PaidWorkMissing, false
	case c.unworked().Add(amount).Cmp(bound) > 0:
		return fault.CreditInUse, false
	// Clients without recent work may leave unworked no more than half of the bound, however
	// many they are: the rest is for clients with work.
	case client.recent().Sign() == 0 && c.waiting.Times(2).Cmp(bound) >= 0:
		return fault.CreditInUse, false
	case !c.withinShare(amount, limit, client):
		return fault.CreditInUse, c.inProgress.Sign() > 0
	case c.held().Add(amount).Cmp(bound) > 0:
		return fault.CreditInUse, true
	}
	return "", false
}

// mayResume resumes a stopped orchestrator whose missing work fell to half of its bound, and
// reports whether it may be paid.
func (c *credit) mayResume(limit pm.Value) bool {
	c.stopped = c.missing.Times(2).Cmp(c.bound(limit)) > 0
	return !c.stopped
}

// mayStop stops an orchestrator if missing work makes such a payment impossible, whatever
// happens to running jobs. It reports whether it is stopped.
func (c *credit) mayStop(amount, limit pm.Value) bool {
	bound := c.bound(limit)
	c.stopped = c.stopped || c.missing.Add(amount).Cmp(bound) > 0 && c.missing.Times(2).Cmp(bound) > 0
	return c.stopped
}

// begin counts a job's payment as in progress.
func (c *credit) begin(j job) {
	c.inProgress = c.inProgress.Add(j.amount)
	j.client.inProgress = j.client.inProgress.Add(j.amount)
}

// end removes a job's payment from inProgress.
func (c *credit) end(j job) {
	if j.amount.Sign() > 0 {
		c.inProgress = c.inProgress.Sub(j.amount)
		j.client.inProgress = j.client.inProgress.Sub(j.amount)
		close(c.freed)
		c.freed = make(chan struct{})
	}
}

// receive ends a job that returned work of some value. The excess of the estimate is the
// client's doing, as the estimate follows its input; the excess of the tickets over the
// estimate is the orchestrator's. It returns how much of the payment is unworked now.
func (c *credit) receive(j job, work pm.Value, now time.Time) (lost pm.Value) {
	c.end(j)
	if work.Sign() <= 0 {
		return c.recordLoss(j, pm.Value{}, pm.Value{})
	}
	good := c.recordWork(j, work, now)
	return c.recordLoss(j, good, j.estimate.Sub(good))
}

// recordWork records work, and returns what it offsets.
func (c *credit) recordWork(j job, recordWork pm.Value, now time.Time) (good pm.Value) {
	c.worked[0] = c.worked[0].Add(recordWork)
	j.client.worked[0] = j.client.worked[0].Add(recordWork)
	good = recordWork.Add(floorWei(divide(recordWork, goodShare)))
	if c.isFirstWork(j.start, now) {
		good = good.Add(recordWork.Times(startShare)).Add(gwei(startGwei))
	}
	return good
}

// excuse ends a job that its client left. Some of the work arrived; more may have been done.
// Clients also leave an orchestrator that does not answer, so work that did not arrive raises
// no bound, and is excused only up to half of the recent work. The rest waits.
func (c *credit) excuse(j job, came, done pm.Value, now time.Time) (lost pm.Value) {
	c.end(j)
	var good pm.Value
	if came.Sign() > 0 {
		good = c.recordWork(j, came, now)
	}
	rest := c.unworked().Add(j.amount).Sub(good)
	most := divide(c.worked[0].Add(c.worked[1]), leftShare).Sub(c.left[0]).Sub(c.left[1])
	excused := minValue(done.Sub(came), most, rest)
	if excused = floorWei(excused); excused.Sign() < 0 {
		excused = pm.Value{}
	}
	c.left[0] = c.left[0].Add(excused)
	lost = c.recordLoss(j, good.Add(excused), j.amount)
	// The part beyond its own tickets comes from a balance.
	c.recordDrain(j.client, done.Sub(came).Sub(excused).Sub(j.amount))
	return lost
}

// deferLoss ends a job whose input was bad: no work was possible.
func (c *credit) deferLoss(j job) (lost pm.Value) {
	c.end(j)
	return c.recordLoss(j, pm.Value{}, j.amount)
}

// blame counts a waiting payment against the orchestrator, as far as it still waits. drained of
// it came from a balance.
func (c *credit) blame(j job, drained pm.Value) {
	v := floorWei(minValue(j.amount.Add(drained), j.client.open, c.waiting))
	j.client.open, c.waiting, c.missing = j.client.open.Sub(v), c.waiting.Sub(v), c.missing.Add(v)
	j.client.drained = minValue(j.client.drained.Sub(minValue(drained, j.client.drained)), j.client.open)
}

// recordLoss records what was paid and what offsets it. Of the rest, at most waits is the
// client's doing. It returns how much of the payment is unworked now.
func (c *credit) recordLoss(j job, good, waits pm.Value) pm.Value {
	before := c.unworked()
	rest := j.amount.Sub(good)
	if rest.Sign() <= 0 {
		c.offsetLoss(j.client, rest.Neg())
		return c.unworked().Sub(before)
	}
	if waits = floorWei(minValue(waits, rest)); waits.Sign() > 0 {
		c.waiting, rest = c.waiting.Add(waits), rest.Sub(waits)
		j.client.open = j.client.open.Add(waits)
	}
	c.missing = c.missing.Add(rest)
	return c.unworked().Sub(before)
}

// offsetLoss offsets losses by work: those of its own client first.
func (c *credit) offsetLoss(client *share, good pm.Value) {
	own := minValue(good, client.open, c.waiting)
	client.open, c.waiting, good = client.open.Sub(own), c.waiting.Sub(own), good.Sub(own)
	client.drained = minValue(client.drained, client.open)
	failed := minValue(good, c.missing)
	c.missing, good = c.missing.Sub(failed), good.Sub(failed)
	c.waiting = c.waiting.Sub(minValue(good, c.waiting))
}

func minValue(v pm.Value, others ...pm.Value) pm.Value {
	for _, o := range others {
		if o.Cmp(v) < 0 {
			v = o
		}
	}
	return v
}

// floorWei rounds down to whole wei.
func floorWei(v pm.Value) pm.Value { return pm.ValueOf(new(big.Rat).SetInt(v.Floor())) }

// ceilWei rounds up to whole wei.
func ceilWei(v pm.Value) pm.Value { return floorWei(v.Neg()).Neg() }

func divide(v pm.Value, n int64) pm.Value {
	r := v.Rat()
	return pm.ValueOf(r.Quo(r, new(big.Rat).SetInt64(n)))
}

func halve(v pm.Value, times uint) pm.Value {
	return pm.ValueOf(new(big.Rat).SetInt(new(big.Int).Rsh(v.Floor(), times)))
}

func gwei(n int64) pm.Value { return pm.ValueOf(new(big.Rat).SetInt64(n * 1e9)) }
