package airouting

import (
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

const (
	// firstFull is how long a full orchestrator is considered full, maxFullShift how often that
	// doubles.
	firstFull    = 250 * time.Millisecond
	maxFullShift = 4
)

// candidate is an orchestrator in a table. Its fields are guarded by Table.mu.
type candidate struct {
	offer Offer
	// at is the parsed form of the offer's URI.
	at            endpoint
	inFlight      int
	stream, whole latency
	firstTokens   firstTokens
	suspension    *suspension
	clients       clients
	trust         *trust
	fullUntil     time.Time
	fulls         int // in a row
	refused       inference.Refusals
	learned       *learned // nil while nothing is learned
	backoffs      backoffs
	// gone: it does not offer the model any more and is kept for jobs in flight.
	gone bool
}

func (c *candidate) latency(whole bool) *latency {
	if whole {
		return &c.whole
	}
	return &c.stream
}

// open reports whether it accepts jobs; probe, that it accepts exactly one.
func (c *candidate) open(now time.Time) (open, probe bool) {
	open, probe = c.suspension.open(now)
	paid, trial := c.trust.open(now)
	return open && paid, probe || trial
}

// lastResort reports whether it may be probed before its rest is over. One that rests because of
// lost payments may not.
func (c *candidate) lastResort(now time.Time) bool {
	paid, _ := c.trust.open(now)
	return paid && c.suspension.lastResort(now)
}

// openTo reports whether it accepts jobs of a client; retry, that it does if there is no other.
func (c *candidate) openTo(client string, now time.Time) (open, retry bool) {
	open, _ = c.open(now)
	rests, retry := c.clients.rests(client, now)
	paid := !now.Before(c.trust.claims[client].until)
	switch {
	case open && paid && !rests:
		return true, false
	case open:
		return false, paid && retry
	}
	return false, paid && c.lastResort(now) && (!rests || retry)
}

// restsUntil returns when its rest is over, zero when it has none.
func (c *candidate) restsUntil() (until time.Time) {
	if c.suspension.resting {
		until = c.suspension.until
	}
	if c.trust.resting && c.trust.until.After(until) {
		until = c.trust.until
	}
	return until
}

// hasSlot reports whether a further job should find a slot, as far as known: other gateways use the
// same slots.
func (c *candidate) hasSlot(now time.Time) bool {
	return !now.Before(c.fullUntil) && (c.offer.Capacity <= 0 || c.inFlight < c.offer.Capacity)
}

// recordFull records that it reported being full. spread is between 0 and 1.
func (c *candidate) recordFull(now time.Time, spread float64) {
	d := firstFull << min(c.fulls, maxFullShift)
	c.fulls++
	c.fullUntil = now.Add(d - time.Duration(spread*float64(d)/5))
}

// idle reports whether nothing would be lost with it.
func (c *candidate) idle() bool { return c.inFlight == 0 && !c.suspension.resting }

// The tiers rank candidates before their load is compared, the best first.
const (
	loaded        = iota
	deprioritized // loaded, and it recently refused requests of this operation
	unloaded
	refuser // it refused many of them, or refused some and would have to load the model
	fullLoaded
	fullUnloaded
	fullRefuser
	tiers
)

// tier returns the candidate's tier for an operation.
func (c *candidate) tier(now time.Time, op inference.Operation) int {
	deprioritize, slot, warm := c.refused.AskOthersFirst(now, op), c.hasSlot(now), c.offer.Warm
	switch {
	case deprioritize && !slot:
		return fullRefuser
	case deprioritize && (!warm || c.refused.Count(op) >= manyRefusals):
		return refuser
	case deprioritize:
		return deprioritized
	case !slot && warm:
		return fullLoaded
	case !slot:
		return fullUnloaded
	case warm:
		return loaded
	}
	return unloaded
}
