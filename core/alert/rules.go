package alert

import (
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Limits of what is told.
const (
	// again is when a trouble that lasts is told of once more.
	again = 6 * time.Hour
	// calm is how long a trouble must be gone before its end is told: one that comes
	// back within this time never ended.
	calm = time.Minute
	// mostPerHour is how often the beginning of one trouble is told in an hour.
	mostPerHour = 3
	// flickers is how often a trouble must come in an hour to be told although it never
	// lasts.
	flickers = 6
	// forgotten is when a trouble that is gone leaves nothing behind.
	forgotten = time.Hour
	// maxKnown bounds the troubles that are followed at once.
	maxKnown = 1000
)

// Rules decide what is told. They belong to one goroutine.
type Rules struct {
	// after is the shortest time that a trouble must last.
	after time.Duration
	known map[health.Key]*trouble
	// missed is how many troubles of the last look had no place, since when there are
	// such.
	missed int
	since  time.Time
}

// trouble is what is remembered of a key.
type trouble struct {
	last health.Condition
	// set: the condition holds, on the board since since and to be seen since shown.
	// gone is when it was first seen not to hold.
	set                bool
	since, shown, gone time.Time
	// hidden: its root cause was there when it was looked at last.
	hidden bool
	// told: the beginning was told and the end not yet. toldAt is when it was last
	// told.
	told   bool
	toldAt time.Time
	// came are the times within the last hour at which it began, told those of them
	// that were told.
	came, announced []time.Time
}

// NewRules makes rules by which a trouble is told when it has lasted for after, and as
// long as its row in the table of faults says. Zero tells of everything at once.
func NewRules(after time.Duration) *Rules {
	return &Rules{after: after, known: make(map[health.Key]*trouble)}
}

// wait is how long a condition must last.
func (r *Rules) wait(code fault.Code) time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, fault.AlertAfter(code))
}

// calm is how long it must be gone.
func (r *Rules) calm() time.Duration {
	if r.after == 0 {
		return 0
	}
	return max(r.after, calm)
}

// Observe takes the board as it stands and returns what is to be told now, the
// gravest first, and when to look again at the latest; a zero time is never. What a
// root cause hides is not told, and does not count as gone.
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

// see notes that a condition holds.
func (r *Rules) see(now time.Time, key health.Key, c health.Condition) {
	if fault.SeverityOf(c.Code) == fault.Info {
		return // nobody has to do anything
	}
	if r.known[key] == nil && len(r.known) >= maxKnown && !r.forget() {
		r.missed++
		return
	}
	r.note(now, key, c)
}

// note takes a condition into what is followed.
func (r *Rules) note(now time.Time, key health.Key, c health.Condition) {
	t := r.known[key]
	if t == nil {
		t = &trouble{}
		r.known[key] = t
	}
	// A condition that was cleared and set again between two looks is a new one.
	if !t.set || !t.since.Equal(c.Since) {
		t.came, t.since, t.shown = append(t.came, now), c.Since, now
	}
	if t.hidden {
		t.shown = now // it may go as its cause did
	}
	if t.told {
		c.Since = t.last.Since // it never ended for those who were told
	}
	t.last, t.set = c, true
}

// judge says what is to be told of one trouble now, and when to look again.
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

// maxTimes bounds how many beginnings are counted.
const maxTimes = 100

// recent leaves out what is more than an hour ago, and the oldest of too many.
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

// graver orders by severity, then code and object.
func graver(x, y Alert) int {
	if x.Severity != y.Severity {
		return int(y.Severity) - int(x.Severity)
	}
	if x.Key.Code != y.Key.Code {
		return strings.Compare(string(x.Key.Code), string(y.Key.Code))
	}
	return strings.Compare(x.Key.About, y.Key.About)
}
