package health

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Limits of one sink's queue.
const (
	// maxQueued is how many alerts may wait for a sink.
	maxQueued = 64
	// burst alerts may be sent at once, then one per pace.
	burst = 10
	pace  = 20 * time.Second
	// firstPause is the pause after a failure; it doubles up to longestPause.
	firstPause   = 2 * time.Second
	longestPause = 5 * time.Minute
)

// AlertQueue holds the alerts that wait for a sink. It belongs to one goroutine.
type AlertQueue struct {
	waiting []waitingAlert
	// sending was taken by Next.
	sending waitingAlert
	// dropped is how many alerts were dropped since the last one was sent.
	dropped int
	// spent is how much of the burst is used up, as of at.
	spent float64
	at    time.Time
	// failures counts consecutive failures; nothing is sent before until.
	failures int
	until    time.Time
}

// waitingAlert is a queued alert.
type waitingAlert struct {
	Alert
	// attempted: sending it failed, but it may have arrived all the same.
	attempted bool
}

// Add queues an alert. It replaces a queued alert of the same condition; a condition that
// was resolved before its alert was attempted is removed from the queue.
func (q *AlertQueue) Add(a Alert) {
	for i := range q.waiting {
		if q.waiting[i].Key == a.Key {
			q.merge(i, q.waiting[i], waitingAlert{Alert: a})
			return
		}
	}
	q.waiting = append(q.waiting, waitingAlert{Alert: a})
	q.shorten()
}

// shorten drops the oldest of the least severe alerts when too many wait.
func (q *AlertQueue) shorten() {
	if len(q.waiting) <= maxQueued {
		return
	}
	mildest := q.firstIndex(func(a, b fault.Severity) bool { return a < b })
	q.waiting = slices.Delete(q.waiting, mildest, mildest+1)
	q.dropped++
}

// firstIndex returns the index of the oldest alert whose severity comes before that of all others.
func (q *AlertQueue) firstIndex(before func(a, b fault.Severity) bool) int {
	at := 0
	for i := range q.waiting {
		if before(q.waiting[i].Severity, q.waiting[at].Severity) {
			at = i
		}
	}
	return at
}

// merge replaces the alert at index i by what two alerts of one condition amount to.
func (q *AlertQueue) merge(i int, old, update waitingAlert) {
	update.attempted = update.attempted || old.attempted
	switch {
	case old.State == AlertFiring && update.State == AlertResolved && !old.attempted:
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	case old.State == AlertFiring && update.State == AlertStill:
		update.State = AlertFiring // the first alert was never sent
	}
	q.waiting[i] = update
}

// Next takes the next alert from the queue; Sent or Failed must follow. ok is false if there
// is none to send now: then wait is when to call again, 0 for after the next Add.
func (q *AlertQueue) Next(now time.Time) (a Alert, wait time.Duration, ok bool) {
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
	// The most severe first: many alerts that peers cause delay none that is more severe.
	severest := q.firstIndex(func(a, b fault.Severity) bool { return a > b })
	q.sending = q.waiting[severest]
	q.waiting = slices.Delete(q.waiting, severest, severest+1)
	q.spent++ // failed attempts count too
	return q.sending.Alert, 0, true
}

// Dropped returns how many alerts were dropped since the last one was sent.
func (q *AlertQueue) Dropped() int { return q.dropped }

// Waiting returns how many alerts are queued.
func (q *AlertQueue) Waiting() int { return len(q.waiting) }

// Sent records that the alert of Next was delivered.
func (q *AlertQueue) Sent() { q.failures, q.until, q.dropped = 0, time.Time{}, 0 }

// Failed queues the alert of Next again. after is the sink's Retry-After, or 0; chance,
// between 0 and 1, is the jitter.
func (q *AlertQueue) Failed(now time.Time, after time.Duration, chance float64) {
	pause := longestPause
	if q.failures < 8 {
		pause = min(longestPause, firstPause<<q.failures)
	}
	q.failures++
	pause += time.Duration(chance * float64(pause) / 2)
	q.until = now.Add(max(pause, min(after, time.Hour)))
	q.requeue()
}

// requeue puts an alert that could not be sent back to the head of the queue.
func (q *AlertQueue) requeue() {
	q.sending.attempted = true
	for i := range q.waiting {
		if q.waiting[i].Key == q.sending.Key {
			q.merge(i, q.sending, q.waiting[i])
			return
		}
	}
	q.waiting = slices.Insert(q.waiting, 0, q.sending)
	q.shorten()
}
