package alert

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Limits of one sink's queue.
const (
	// queued is how many alerts wait for a sink at most.
	queued = 64
	// burst alerts may follow one another at once, then one per pace.
	burst = 10
	pace  = 20 * time.Second
	// firstPause is the pause after a failure; it doubles up to longestPause.
	firstPause   = 2 * time.Second
	longestPause = 5 * time.Minute
)

// Queue is what a sink has still to be told. It belongs to one goroutine.
type Queue struct {
	waiting []waiting
	// sending was taken by Next.
	sending waiting
	// dropped is how many alerts had no place since the last that was sent.
	dropped int
	// spent is how much of the burst is used up, as of at.
	spent float64
	at    time.Time
	// failures in a row, and until when nothing is tried.
	failures int
	until    time.Time
}

// waiting is an alert in line.
type waiting struct {
	Alert
	// tried: it was sent and failed. Who sees no answer does not know that it did not
	// arrive.
	tried bool
}

// Add puts an alert in line. News about a trouble takes the place of what waits about
// it; a trouble that ended before anybody may have been told of it leaves the line.
func (q *Queue) Add(a Alert) {
	for i := range q.waiting {
		if q.waiting[i].Key == a.Key {
			q.join(i, q.waiting[i], waiting{Alert: a})
			return
		}
	}
	q.waiting = append(q.waiting, waiting{Alert: a})
	q.shorten()
}

// shorten drops the oldest of the mildest where too many wait.
func (q *Queue) shorten() {
	if len(q.waiting) <= queued {
		return
	}
	mildest := q.first(func(a, b fault.Severity) bool { return a < b })
	q.waiting = slices.Delete(q.waiting, mildest, mildest+1)
	q.dropped++
}

// first is the oldest of those that wait whose severity comes before that of all others.
func (q *Queue) first(before func(a, b fault.Severity) bool) int {
	at := 0
	for i := range q.waiting {
		if before(q.waiting[i].Severity, q.waiting[at].Severity) {
			at = i
		}
	}
	return at
}

// join puts what is left of two alerts of one trouble in the place i.
func (q *Queue) join(i int, old, news waiting) {
	news.tried = news.tried || old.tried
	switch {
	case old.State == StateFiring && news.State == StateResolved && !old.tried:
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	case old.State == StateFiring && news.State == StateStill:
		news.State = StateFiring // its beginning was never told
	}
	q.waiting[i] = news
}

// Next takes the alert to send now out of line; Sent or Failed must follow. ok is
// false where there is none, and then wait says when to ask again, 0 for after the
// next Add.
func (q *Queue) Next(now time.Time) (a Alert, wait time.Duration, ok bool) {
	if len(q.waiting) == 0 {
		return Alert{}, 0, false
	}
	if now.Before(q.until) {
		return Alert{}, q.until.Sub(now), false
	}
	q.spent = max(0, q.spent-float64(now.Sub(q.at))/float64(pace))
	if q.at = now; q.spent > burst-1 {
		return Alert{}, time.Duration((q.spent-(burst-1))*float64(pace)) + time.Millisecond, false
	}
	// The gravest first: what peers cause many of holds up nothing that is graver.
	gravest := q.first(func(a, b fault.Severity) bool { return a > b })
	q.sending = q.waiting[gravest]
	q.waiting = slices.Delete(q.waiting, gravest, gravest+1)
	q.spent++ // a try that fails is a request, too
	return q.sending.Alert, 0, true
}

// Dropped is how many alerts had no place since the last that was sent.
func (q *Queue) Dropped() int { return q.dropped }

// Waiting is how many alerts are in line.
func (q *Queue) Waiting() int { return len(q.waiting) }

// Sent says that the alert of Next arrived.
func (q *Queue) Sent() { q.failures, q.until, q.dropped = 0, time.Time{}, 0 }

// Failed keeps the alert for another try. after is what the sink asks for, or 0;
// chance, within 0 and 1, spreads the tries of many nodes.
func (q *Queue) Failed(now time.Time, after time.Duration, chance float64) {
	pause := longestPause
	if q.failures < 8 {
		pause = min(longestPause, firstPause<<q.failures)
	}
	q.failures++
	pause += time.Duration(chance * float64(pause) / 2)
	q.until = now.Add(max(pause, min(after, time.Hour)))
	q.back()
}

// back puts what could not be sent back to the head of the line.
func (q *Queue) back() {
	q.sending.tried = true
	for i := range q.waiting {
		if q.waiting[i].Key == q.sending.Key {
			q.join(i, q.sending, q.waiting[i])
			return
		}
	}
	q.waiting = slices.Insert(q.waiting, 0, q.sending)
	q.shorten()
}
