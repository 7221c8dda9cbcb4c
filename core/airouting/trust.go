package airouting

import "time"

// Loss is what an attempt cost that was paid for and brought no answer.
type Loss int

// The losses.
const (
	// NoLoss: nothing was paid, or the answer began.
	NoLoss Loss = iota
	// SmallLoss: an honest one may say so often, as when all its slots are taken.
	SmallLoss
	// Repaid: it wanted another payment for the same job. That happens after a restart,
	// and is no way to be paid twice each time.
	Repaid
	// RefusedLoss: it failed at the job, or refused it for what may lie in the request.
	RefusedLoss
	// Default: it took the payment and refused the job without a reason that lies
	// elsewhere.
	Default
)

const (
	// maxLosses is how many points make an orchestrator rest; an answer takes some off.
	maxLosses  = 64
	pointsBack = 4
	// firstDebt is how long it rests at first, maxDebt at most; each time doubles, and
	// only so many answers in a row take one doubling back.
	firstDebt = 10 * time.Second
	maxDebt   = 5 * time.Minute
	goodTurns = 16
)

// points are what a loss counts.
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

// trust is what is known of how one orchestrator deals with what it is paid. Unlike a
// rest for failures, one for that is never cut short when nobody else is left: asking
// costs money each time. All that belong to one owner share it.
type trust struct {
	points  int
	resting bool
	trying  bool // the one attempt after a rest is in flight
	strikes int  // rests that are not made up for
	good    int  // answers since the last loss
	since   time.Time
	until   time.Time
	claims  claims
}

func newTrust() *trust { return &trust{claims: make(claims)} }

// open reports whether it is paid for jobs; trial, that it is for one and only one.
func (t *trust) open(now time.Time) (open, trial bool) {
	if !t.resting {
		return true, false
	}
	due := !t.trying && !now.Before(t.until)
	return due, due
}

// lostFor notes a loss of a client, of which only its share counts for all. What no client
// can bring about counts in full.
func (t *trust) lostFor(client string, now time.Time, l Loss, trial bool, spread float64) {
	n := l.points()
	if client != "" && l != Default && l != Repaid {
		n = t.claims.lost(client, n, now)
	}
	t.lost(now, n, trial, spread)
}

// lost notes a loss of so many points. trial says that the attempt was the one after a rest. spread is
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
	full := min(maxDebt, firstDebt<<min(t.strikes, 10))
	t.strikes++
	t.resting, t.since = true, now
	t.until = now.Add(full - time.Duration(spread*float64(full)/5))
	// One refusal after the rest begins the next one.
	t.points = maxLosses - RefusedLoss.points()
}

// answered notes an answer to a job that was begun at start. It ends a rest unless
// the job is from before it.
func (t *trust) answered(start time.Time, client string) {
	if t.resting && start.Before(t.since) {
		return
	}
	t.resting = false
	t.points = max(0, t.points-pointsBack)
	t.claims.answered(client, t.points)
	if t.good++; t.good >= goodTurns {
		t.good, t.strikes = 0, max(0, t.strikes-1)
	}
}

// clean reports whether there is nothing to remember.
func (t *trust) clean() bool {
	return t.points == 0 && t.strikes == 0 && !t.resting && len(t.claims) == 0
}
