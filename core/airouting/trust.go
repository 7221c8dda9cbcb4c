package airouting

import "time"

// Loss is the kind of a payment that brought no answer.
type Loss int

// The losses.
const (
	// NoLoss: nothing was paid, or the answer began.
	NoLoss Loss = iota
	// SmallLoss: honest orchestrators cause it often, for example when all slots are taken.
	SmallLoss
	// Repaid: it demanded another payment for the same job. That happens after a restart, and must
	// not pay off if repeated.
	Repaid
	// RefusedLoss: it failed at the job, or refused it for a reason that the request may have
	// caused.
	RefusedLoss
	// Default: it took the payment and refused the job without such a reason.
	Default
)

const (
	// maxLosses is how many points make an orchestrator rest; an answer takes pointsBack off.
	maxLosses  = 64
	pointsBack = 4
	// firstPaymentRest is the first rest, maxPaymentRest the longest; each one doubles, and
	// answersPerPenalty answers in a row take one doubling back.
	firstPaymentRest  = 10 * time.Second
	maxPaymentRest    = 5 * time.Minute
	answersPerPenalty = 16
)

// points returns the weight of a loss.
func (l Loss) points() int {
	switch l {
	case SmallLoss:
		return 1
	case Repaid:
		return 6
	case RefusedLoss:
		return 8
	case Default:
		return maxLosses
	}
	return 0
}

// trust tracks how one orchestrator deals with payments. Unlike a rest for failures, a rest for
// losses is never cut short for lack of another orchestrator, because each try costs money. All
// nodes of one owner share it.
type trust struct {
	points    int
	resting   bool
	trying    bool // the one paid attempt after a rest is in flight
	penalties int  // rests not made up by answers
	good      int  // answers since the last loss
	since     time.Time
	until     time.Time
	claims    claims
}

func newTrust() *trust { return &trust{claims: make(claims)} }

// open reports whether it is paid for jobs; trial, that it is for exactly one.
func (t *trust) open(now time.Time) (open, trial bool) {
	if !t.resting {
		return true, false
	}
	due := !t.trying && !now.Before(t.until)
	return due, due
}

// lostFor records a loss of a client, of which only the client's share counts for all. Losses that
// no client can cause count in full.
func (t *trust) lostFor(client string, now time.Time, l Loss, trial bool, spread float64) {
	n := l.points()
	if client != "" && l != Default && l != Repaid {
		n = t.claims.lost(client, n, now)
	}
	t.lost(now, n, trial, spread)
}

// lost records a loss of n points. trial says that the attempt was the one after a rest. spread is
// between 0 and 1.
func (t *trust) lost(now time.Time, n int, trial bool, spread float64) {
	if n == 0 {
		return
	}
	t.good = 0
	t.points = min(maxLosses, t.points+n)
	if t.points < maxLosses || t.resting && !trial {
		return
	}
	full := min(maxPaymentRest, firstPaymentRest<<min(t.penalties, 10))
	t.penalties++
	t.resting, t.since = true, now
	t.until = now.Add(full - time.Duration(spread*float64(full)/5))
	// One refusal after the rest begins the next one.
	t.points = maxLosses - RefusedLoss.points()
}

// answered records an answer to a job that was begun at start. It ends a rest unless the job is
// from before it.
func (t *trust) answered(start time.Time, client string) {
	if t.resting && start.Before(t.since) {
		return
	}
	t.resting = false
	t.points = max(0, t.points-pointsBack)
	t.claims.answered(client, t.points)
	if t.good++; t.good >= answersPerPenalty {
		t.good, t.penalties = 0, max(0, t.penalties-1)
	}
}

// clean reports whether there is nothing to remember.
func (t *trust) clean() bool {
	return t.points == 0 && t.penalties == 0 && !t.resting && len(t.claims) == 0
}
