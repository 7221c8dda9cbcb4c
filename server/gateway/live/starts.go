package live

import (
	"net/netip"
	"time"
)

const (
	// freeStarts is how many streams one unchecked address may begin at once, startEvery how often one more after
	// that; allFreeStarts and allStartEvery are the same of all such addresses together.
	freeStarts, startEvery       = 16, time.Second
	allFreeStarts, allStartEvery = 128, 50 * time.Millisecond
	// maxStarters bounds the addresses that are remembered.
	maxStarters = 1024
)

// startTimes limit how often unchecked addresses begin streams, however soon these end or take each other's place: each
// one is begun, and paid for, at orchestrators. The zero value is ready.
type startTimes struct {
	// all and by are when the next start would be due without saved-up ones, of all addresses and of each.
	all time.Time
	by  map[netip.Prefix]time.Time
}

// allow reports whether an address may begin a stream, and counts it.
func (t *startTimes) allow(from netip.Prefix, now time.Time) bool {
	all, allOK := nextStart(t.all, now, allFreeStarts, allStartEvery)
	own, ownOK := nextStart(t.by[from], now, freeStarts, startEvery)
	if !allOK || !ownOK {
		return false
	}
	if t.by == nil {
		t.by = make(map[netip.Prefix]time.Time)
	}
	if len(t.by) >= maxStarters {
		for other, due := range t.by {
			if !due.After(now.Add(-freeStarts * startEvery)) {
				delete(t.by, other)
			}
		}
	}
	if _, known := t.by[from]; !known && len(t.by) >= maxStarters {
		return false
	}
	t.all, t.by[from] = all, own
	return true
}

// nextStart takes a start of a rate, of which at most burst are saved up.
func nextStart(due, now time.Time, burst int, every time.Duration) (next time.Time, ok bool) {
	if saved := now.Add(-time.Duration(burst) * every); due.Before(saved) || due.After(now.Add(every)) {
		due = saved // also after a clock that was ahead
	}
	next = due.Add(every)
	return next, !next.After(now)
}
