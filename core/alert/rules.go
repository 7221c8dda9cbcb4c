package alert

import (
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Limits of alerts.
const (
	// repeatAfter is when the alert of a lasting condition is repeated.
	again = 6 * time.Hour
	// minResolveDelay is how long a condition must be clear before its alert is resolved: one
	// that is set again within this time was never resolved.
	calm = time.Minute
	// maxFiringsPerHour is how often one condition may fire in an hour.
	mostPerHour = 3
	// flappingStarts is how often a condition must be set in an hour to fire although it
	// never lasts.
	flickers = 6
	// forgetAfter is when a cleared condition is dropped.
	forgotten = time.Hour
	// maxTracked limits the tracked conditions.
	maxKnown = 1000
)

// Rules decide which alerts are sent. They belong to one goroutine.
type Rules struct {
	// after is the minimum time that a condition must last.
	after time.Duration
	known map[health.Key]*trouble
	// untracked is how many conditions of the last Observe were beyond maxTracked, and
	// untrackedSince since when there are any.
	missed int
	since  time.Time
}

// tracked is the history of one condition.
type trouble struct {
	last health.Condition
	// set: the condition is set, since since, and visible since shown. gone is when it was
	// first seen cleared.
	set                bool
	since, shown, gone time.Time
	// hidden: its root cause was set at the last Observe.
	hidden bool
	// firing: it has fired and is not resolved. lastAlert is when it last fired or was
	// repeated.
	told   bool
	toldAt time.Time
	// starts are the times within the last hour at which it was set, firings those at which
	// it fired.
	came, announced []time.Time
}

// NewRules makes rules by which a condition fires when it has lasted for after, and for as
// long as core/fault requires for its code. With 0 every condition fires at once.
func NewRules(after time.Duration) *Rules {
	return &Rules{after: after, known: make(map[health.Key]*trouble)}
}

// fireDelay is how long a condition must last to fire.
func (r *Rules) wait(code fault.Code) time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, fault.AlertAfter(code))
}

// resolveDelay is how long it must be clear to be resolved.
func (r *Rules) calm() time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, calm)
}

// Observe takes the present conditions and returns the alerts to send now, the most severe
// first, and when to call it again at the latest; a zero time is never. Conditions that a
// root cause hides do not fire, and do not count as cleared.
func (r *Rules) Observe(now time.Time, conditions []health.Condition) (tell []Alert, next time.Time) {
	hidden := make(map[health.Key]bool)
	seen := make(map[health.Key]bool)
	r.missed = 0
	for _, c := range conditions {
		key := health.Key{Code: c.Code, About: c.About}
		if c.HiddenBy != "" {
			hidden[key] = true
			continue
		}
		seen[key] = true
		r.see(now, key, c)
	}
	if c, over := r.over(now); over {
		seen[tooMany] = true
		r.note(now, tooMany, c)
	}
	for key, t := range r.known {
		if !seen[key] && !hidden[key] && t.set {
			t.set, t.gone = false, now
		}
		if t.hidden = hidden[key]; t.hidden {
			continue
		}
		a, due := r.judge(now, t)
		if a != nil {
			tell = append(tell, *a)
		}
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
		if !t.set && !t.told && len(t.came) == 0 {
			delete(r.known, key)
		}
	}
	slices.SortFunc(tell, graver)
	return tell, next
}

// observeOne records that a condition is set.
func (r *Rules) see(now time.Time, key health.Key, c health.Condition) {
	if fault.SeverityOf(c.Code) == fault.Info {
		return // no action is needed
	}
	if r.known[key] == nil && len(r.known) >= maxKnown && !r.forget() {
		r.missed++
		return
	}
	r.note(now, key, c)
}

// track adds or updates a tracked condition.
func (r *Rules) note(now time.Time, key health.Key, c health.Condition) {
	t := r.known[key]
	if t == nil {
		t = &trouble{}
		r.known[key] = t
	}
	// A condition that was cleared and set again between two calls is a new one.
	if !t.set || !t.since.Equal(c.Since) {
		t.came, t.since, t.shown = append(t.came, now), c.Since, now
	}
	if t.hidden {
		t.shown = now // it may be cleared soon, as its cause was
	}
	if t.told {
		c.Since = t.last.Since // its alert was not resolved
	}
	t.last, t.set = c, true
}

// decide returns the alert of one condition to send now, if any, and when to check again.
func (r *Rules) judge(now time.Time, t *trouble) (*Alert, time.Time) {
	t.came, t.announced = recent(t.came, now), recent(t.announced, now)
	switch {
	case t.set && !t.told:
		due := t.shown.Add(r.wait(t.last.Code))
		if len(t.came) >= flickers {
			due = now
		}
		if len(t.announced) >= mostPerHour {
			due = later(due, t.announced[0].Add(time.Hour))
		}
		if now.Before(due) {
			return nil, due
		}
		t.told, t.toldAt = true, now
		t.announced = append(t.announced, now)
		return r.alert(t, StateFiring, now), now.Add(again)
	case t.set:
		if due := t.toldAt.Add(again); now.Before(due) {
			return nil, due
		}
		t.toldAt = now
		return r.alert(t, StateStill, now), now.Add(again)
	case t.told:
		if due := t.gone.Add(r.calm()); now.Before(due) {
			return nil, due
		}
		t.told = false
		return r.alert(t, StateResolved, now), now.Add(forgotten)
	}
	if len(t.came) > 0 {
		return nil, t.came[0].Add(forgotten)
	}
	return nil, time.Time{}
}

func (r *Rules) alert(t *trouble, s State, now time.Time) *Alert {
	a := of(t.last, s, now, max(1, len(t.came)))
	return &a
}

// maxStarts limits how many starts are counted.
const maxTimes = 100

// recent drops times more than an hour ago, and the oldest beyond maxStarts.
func recent(times []time.Time, now time.Time) []time.Time {
	times = slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= forgotten })
	return times[max(0, len(times)-maxTimes):]
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// bySeverity orders by severity, then code and object.
func graver(x, y Alert) int {
	if x.Severity != y.Severity {
		return int(y.Severity) - int(x.Severity)
	}
	if x.Key.Code != y.Key.Code {
		return strings.Compare(string(x.Key.Code), string(y.Key.Code))
	}
	return strings.Compare(x.Key.About, y.Key.About)
}
