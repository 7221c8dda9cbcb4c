// Package health keeps the node's lasting conditions: what is wrong now, since when, and
// what to do. The component that detects a condition sets and clears it; the status pages
// and tutti_cli show it.
//
// It is not for single errors, which are returned or logged where they happen.
// A condition is logged when it changes, never on repetition, and a root cause
// hides the conditions that follow from it.
//
// It also decides when conditions become alerts (alertrules.go): how long one must last
// before it fires, that a flapping one does not fire each time, when a lasting one is
// repeated, and when it is resolved; and it implements each sink's queue, with its limit,
// rate and backoff. It sends nothing: server/alert does.
package health

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Key tells apart the conditions of one code: a device, an address. Empty for
// conditions of the whole node.
type Key struct {
	Code  fault.Code
	About string
}

// Condition is one lasting problem.
type Condition struct {
	Code  fault.Code
	About string
	// Detail is text for the operator, without secrets.
	Detail string
	Since  time.Time
	// HiddenBy is the root cause that explains this one, or "".
	HiddenBy fault.Code
}

// Remedy returns the table's remedy for the condition.
func (c Condition) Remedy() string {
	row, _ := fault.Lookup(c.Code)
	return row.Remedy
}

// Board holds the conditions that are set. It is safe for concurrent use.
type Board struct {
	log *slog.Logger
	now func() time.Time
	// causes maps a root cause to the codes that follow from it. Read-only.
	causes map[fault.Code][]fault.Code

	mu  sync.Mutex
	set map[Key]Condition // guarded by mu
	// subscribers are notified of changes.
	subscribers map[subscriber]struct{} // guarded by mu
}

// New makes an empty board. causes says, per root cause, which conditions follow
// from it and are hidden while it is set; it may be nil, and is not changed.
func New(log *slog.Logger, now func() time.Time, causes map[fault.Code][]fault.Code) *Board {
	return &Board{log: log, now: now, causes: causes, set: make(map[Key]Condition),
		subscribers: make(map[subscriber]struct{})}
}

// Set sets a condition. It is logged, as a warning with the remedy, when it is new or its
// detail changed. A hidden condition is logged at debug level.
func (b *Board) Set(key Key, detail string) {
	b.mu.Lock()
	old, was := b.set[key]
	if was && old.Detail == detail {
		b.mu.Unlock()
		return
	}
	c := Condition{Code: key.Code, About: key.About, Detail: detail, Since: b.now()}
	if was {
		c.Since = old.Since
	}
	b.set[key] = c
	b.notifyLocked()
	c.HiddenBy = b.hiddenByLocked(key.Code)
	b.mu.Unlock()

	level := slog.LevelWarn
	if c.HiddenBy != "" {
		level = slog.LevelDebug
	}
	b.logChange(level, "condition set", c)
}

// Clear clears a condition. It does nothing if the condition is not set.
func (b *Board) Clear(key Key) {
	b.mu.Lock()
	c, was := b.set[key]
	delete(b.set, key)
	var uncovered []Condition
	if was {
		uncovered = b.uncoveredLocked(key.Code)
		b.notifyLocked()
	}
	b.mu.Unlock()
	if !was {
		return
	}
	attrs := []any{"code", string(c.Code)}
	if c.About != "" {
		attrs = append(attrs, "about", c.About)
	}
	b.log.Info("condition cleared", append(attrs, "lasted", b.now().Sub(c.Since).Round(time.Second))...)
	// What the root cause hid and still holds is visible from now on.
	for _, u := range uncovered {
		b.logChange(slog.LevelWarn, "condition set", u)
	}
}

// Report is Set for a non-nil error, with its text for the operator, and Clear for
// nil.
func (b *Board) Report(key Key, err error) {
	if err == nil {
		b.Clear(key)
		return
	}
	b.Set(key, fault.ForOperator(err))
}

// Healthy reports whether no condition is set.
func (b *Board) Healthy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.set) == 0
}

// Snapshot returns the conditions that are set, root causes before what they
// hide, then oldest first.
func (b *Board) Snapshot() []Condition {
	b.mu.Lock()
	all := make([]Condition, 0, len(b.set))
	for _, c := range b.set {
		c.HiddenBy = b.hiddenByLocked(c.Code)
		all = append(all, c)
	}
	b.mu.Unlock()
	slices.SortFunc(all, compare)
	return all
}

// Visible is Snapshot without what a root cause hides.
func (b *Board) Visible() []Condition {
	return slices.DeleteFunc(b.Snapshot(), func(c Condition) bool { return c.HiddenBy != "" })
}

func compare(x, y Condition) int {
	switch {
	case (x.HiddenBy == "") != (y.HiddenBy == ""):
		if x.HiddenBy == "" {
			return -1
		}
		return 1
	case !x.Since.Equal(y.Since):
		return x.Since.Compare(y.Since)
	case x.Code != y.Code:
		return strings.Compare(string(x.Code), string(y.Code))
	}
	return strings.Compare(x.About, y.About)
}

func (b *Board) logChange(level slog.Level, message string, c Condition) {
	attrs := []any{"code", string(c.Code)}
	if c.About != "" {
		attrs = append(attrs, "about", c.About)
	}
	attrs = append(attrs, "detail", c.Detail)
	if c.HiddenBy != "" {
		attrs = append(attrs, "because", string(c.HiddenBy))
	} else {
		attrs = append(attrs, "remedy", c.Remedy())
	}
	b.log.Log(context.Background(), level, message, attrs...)
}
