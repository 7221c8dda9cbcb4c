package health

import (
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Limits of alerts.
const (
	// repeatAfter is when the alert of a lasting condition is repeated.
	repeatAfter = 6 * time.Hour
	// minResolveDelay is how long a condition must be clear before its alert is resolved: one
	// that is set again within this time was never resolved.
	minResolveDelay = time.Minute
	// maxFiringsPerHour is how often one condition may fire in an hour.
	maxFiringsPerHour = 3
	// flappingStarts is how often a condition must be set in an hour to fire although it
	// never lasts.
	flappingStarts = 6
	// forgetAfter is when a cleared condition is dropped.
	forgetAfter = time.Hour
	// maxTracked limits the tracked conditions.
	maxTracked = 1000
)

// AlertRules decide which alerts are sent. They belong to one goroutine.
type AlertRules struct {
	// after is the minimum time that a condition must last.
	after   time.Duration
	tracked map[Key]*tracked
	// untracked is how many conditions of the last Observe were beyond maxTracked, and
	// untrackedSince since when there are any.
	untracked      int
	untrackedSince time.Time
}

// tracked is the history of one condition.
type tracked struct {
	last Condition
	// set: the condition is set, since since, and visible since shown. gone is when it was
	// first seen cleared.
	set                bool
	since, shown, gone time.Time
	// hidden: its root cause was set at the last Observe.
	hidden bool
	// firing: it has fired and is not resolved. lastAlert is when it last fired or was
	// repeated.
	firing    bool
	lastAlert time.Time
	// starts are the times within the last hour at which it was set, firings those at which
	// it fired.
	starts, firings []time.Time
}

// NewAlertRules makes rules by which a condition fires when it has lasted for after, and for as
// long as core/fault requires for its code. With 0 every condition fires at once.
func NewAlertRules(after time.Duration) *AlertRules {
	return &AlertRules{after: after, tracked: make(map[Key]*tracked)}
}

// fireDelay returns how long a condition must last to fire.
func (r *AlertRules) fireDelay(code fault.Code) time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, fault.AlertAfter(code))
}

// resolveDelay returns how long it must be clear to be resolved.
func (r *AlertRules) resolveDelay() time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, minResolveDelay)
}

// Observe takes the present conditions and returns the alerts to send now, the most severe
// first, and when to call it again at the latest; a zero time is never. Conditions that a
// root cause hides do not fire, and do not count as cleared.
func (r *AlertRules) Observe(now time.Time, conditions []Condition) (alerts []Alert, next time.Time) {
	hidden := make(map[Key]bool)
	seen := make(map[Key]bool)
	r.untracked = 0
	for _, c := range conditions {
		key := Key{Code: c.Code, About: c.About}
		if c.HiddenBy != "" {
			hidden[key] = true
			continue
		}
		seen[key] = true
		r.observeOne(now, key, c)
	}
	if c, over := r.overflow(now); over {
		seen[overflowKey()] = true
		r.track(now, overflowKey(), c)
	}
	for key, t := range r.tracked {
		if !seen[key] && !hidden[key] && t.set {
			t.set, t.gone = false, now
		}
		if t.hidden = hidden[key]; t.hidden {
			continue
		}
		a, due := r.decide(now, t)
		if a != nil {
			alerts = append(alerts, *a)
		}
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
		if !t.set && !t.firing && len(t.starts) == 0 {
			delete(r.tracked, key)
		}
	}
	slices.SortFunc(alerts, bySeverity)
	return alerts, next
}

// observeOne records that a condition is set.
func (r *AlertRules) observeOne(now time.Time, key Key, c Condition) {
	if fault.SeverityOf(c.Code) == fault.Info {
		return // no action is needed
	}
	if r.tracked[key] == nil && len(r.tracked) >= maxTracked && !r.forgetResolved() {
		r.untracked++
		return
	}
	r.track(now, key, c)
}

// track adds or updates a tracked condition.
func (r *AlertRules) track(now time.Time, key Key, c Condition) {
	t := r.tracked[key]
	if t == nil {
		t = &tracked{}
		r.tracked[key] = t
	}
	// A condition that was cleared and set again between two calls is a new one.
	if !t.set || !t.since.Equal(c.Since) {
		t.starts, t.since, t.shown = append(t.starts, now), c.Since, now
	}
	if t.hidden {
		t.shown = now // it may be cleared soon, as its cause was
	}
	if t.firing {
		c.Since = t.last.Since // its alert was not resolved
	}
	t.last, t.set = c, true
}

// decide returns the alert of one condition to send now, if any, and when to check again.
func (r *AlertRules) decide(now time.Time, t *tracked) (*Alert, time.Time) {
	t.starts, t.firings = recent(t.starts, now), recent(t.firings, now)
	switch {
	case t.set && !t.firing:
		due := t.shown.Add(r.fireDelay(t.last.Code))
		if len(t.starts) >= flappingStarts {
			due = now
		}
		if len(t.firings) >= maxFiringsPerHour {
			due = later(due, t.firings[0].Add(time.Hour))
		}
		if now.Before(due) {
			return nil, due
		}
		t.firing, t.lastAlert = true, now
		t.firings = append(t.firings, now)
		return r.alert(t, AlertFiring, now), now.Add(repeatAfter)
	case t.set:
		if due := t.lastAlert.Add(repeatAfter); now.Before(due) {
			return nil, due
		}
		t.lastAlert = now
		return r.alert(t, AlertStill, now), now.Add(repeatAfter)
	case t.firing:
		if due := t.gone.Add(r.resolveDelay()); now.Before(due) {
			return nil, due
		}
		t.firing = false
		return r.alert(t, AlertResolved, now), now.Add(forgetAfter)
	}
	if len(t.starts) > 0 {
		return nil, t.starts[0].Add(forgetAfter)
	}
	return nil, time.Time{}
}

func (r *AlertRules) alert(t *tracked, s AlertState, now time.Time) *Alert {
	a := newAlert(t.last, s, now, max(1, len(t.starts)))
	return &a
}

// maxStarts limits how many starts are counted.
const maxStarts = 100

// recent drops times more than an hour ago, and the oldest beyond maxStarts.
func recent(times []time.Time, now time.Time) []time.Time {
	times = slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= forgetAfter })
	return times[max(0, len(times)-maxStarts):]
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// bySeverity orders by severity, then code and object.
func bySeverity(x, y Alert) int {
	if x.Severity != y.Severity {
		return int(y.Severity) - int(x.Severity)
	}
	if x.Key.Code != y.Key.Code {
		return strings.Compare(string(x.Key.Code), string(y.Key.Code))
	}
	return strings.Compare(x.Key.About, y.Key.About)
}
