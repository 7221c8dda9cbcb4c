package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// limitLifetime is how long a learned limit holds. Other programs may have used the device
// at the time, and only another try shows.
const limitLifetime = 5 * time.Minute

// observedLimit is a limit that a device showed by refusing a session.
type observedLimit struct {
	n     int
	until time.Time
}

// bound is the lower of a limit and the observed one.
func (l observedLimit) bound(limit int, now time.Time) int {
	if now.Before(l.until) {
		return min(limit, l.n)
	}
	return limit
}

// memoryRecheck is the interval of checks of a device's free memory after it refused a
// session for lack of memory.
const memoryRecheck = time.Second

// learnedLimits are the limits that a device showed at run time. It is guarded by the
// device's mu.
type learnedLimits struct {
	sessions, encoders, memory observedLimit
	// shortage can end the memory limit early.
	shortage memoryShortage
	// watched: a goroutine waits for the next limit to end.
	watched bool
}

// memoryShortage is a refusal for lack of memory, to be compared with the free memory.
type memoryShortage struct {
	at time.Time
	// want is the session's demand.
	want int64
	// seen: less than that was free. A card that refuses while enough is free needs more
	// than was measured or its memory is fragmented; then the free memory proves nothing.
	seen bool
}

// resolved takes a reading of the free memory, and reports whether the shortage is over.
func (l *memoryShortage) resolved(free int64, at time.Time) bool {
	if free < l.want {
		l.seen = true
		return false
	}
	return l.seen && at.After(l.at)
}

// expires is when the next limit ends, false when there is none.
func (l *learnedLimits) expires(now time.Time) (first time.Time, some bool) {
	for _, s := range []observedLimit{l.sessions, l.encoders, l.memory} {
		if now.Before(s.until) && (!some || s.until.Before(first)) {
			first, some = s.until, true
		}
	}
	return first, some
}

// capacityFailure reports whether a device refused a session for lack of capacity.
func capacityFailure(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.EncoderSessionsExhausted || code == fault.GPUOutOfMemory
}

// learnLimit lowers the device's limit to its use without the session that it refused.
func (p *Pool) learnLimit(d *device, s *session, err error) {
	if !capacityFailure(err) {
		return
	}
	now := time.Now()
	s.mu.Lock()
	renditions := s.renditions
	s.mu.Unlock()
	free, at, known := p.o.FreeMemory(d.label)
	d.mu.Lock()
	until := now.Add(limitLifetime)
	switch {
	case fault.CodeOf(err) == fault.EncoderSessionsExhausted:
		d.learned.encoders = observedLimit{max(0, d.renditions-renditions), until}
	case d.memoryLimitLocked(now) > 0:
		want := d.memoryForLocked(renditions)
		d.learned.memory = observedLimit{int(max(0, d.memoryInUseLocked()-want)), until}
		d.learned.shortage = memoryShortage{at: now, want: want}
		if known {
			d.learned.shortage.resolved(free, at)
		}
	default:
		d.learned.sessions = observedLimit{max(0, d.sessions-1), until}
	}
	sessions := d.sessions
	d.mu.Unlock()
	p.o.Log.Info("a device has less capacity than estimated", "device", d.label, "sessions", sessions, fault.Attr(err))
	p.table.markStale(d)
	p.watchLimits(d)
}

// releaseMemoryLimit ends the memory limit of a device whose memory is free again.
func (p *Pool) releaseMemoryLimit(d *device) {
	free, at, known := p.o.FreeMemory(d.label)
	now := time.Now()
	d.mu.Lock()
	over := known && now.Before(d.learned.memory.until) && d.learned.shortage.resolved(free, at)
	if over {
		d.learned.memory = observedLimit{}
	}
	d.mu.Unlock()
	if over {
		p.o.Log.Info("a device has memory for sessions again", "device", d.label)
	}
}

// watchLimits refreshes the device whenever a learned limit ends.
func (p *Pool) watchLimits(d *device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.learned.watched {
		return
	}
	d.learned.watched = p.spawn(func() {
		for p.awaitLimit(d) {
			p.releaseMemoryLimit(d)
			p.refresh(d)
		}
	})
}

// awaitLimit waits until a limit may end; false when there is none, or the pool ends.
func (p *Pool) awaitLimit(d *device) bool {
	now := time.Now()
	d.mu.Lock()
	at, some := d.learned.expires(now)
	if now.Before(d.learned.memory.until) {
		at = now.Add(min(memoryRecheck, at.Sub(now)))
	}
	d.learned.watched = some && !d.gone
	watched := d.learned.watched
	d.mu.Unlock()
	if !watched {
		return false
	}
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.done:
		return false
	}
}
