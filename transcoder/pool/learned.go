package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// unlearn is how long a limit holds that a device showed: others may have used it at
// the time, and only another try shows.
const unlearn = 5 * time.Minute

// shownLimit is a number that a device was seen not to go beyond.
type shownLimit struct {
	n     int
	until time.Time
}

// bound is the lesser of a limit and what was shown.
func (l shownLimit) bound(limit int, now time.Time) int {
	if now.Before(l.until) {
		return min(limit, l.n)
	}
	return limit
}

// freeLook is the time between two looks at the memory of a device that refused a
// session for want of it.
const freeLook = time.Second

// learned are the limits that a device showed at work. It is under the device's mu.
type learned struct {
	sessions, encoders, memory shownLimit
	// lack is what ends the limit of memory before its time.
	lack lack
	// watched: someone waits for the end of the next of them.
	watched bool
}

// lack is a refusal for want of memory, to be compared with what is seen of the memory.
type lack struct {
	at time.Time
	// want is what the session needed.
	want int64
	// seen says that less than that was free. A card that refuses while enough seems to be
	// free needs more than was measured, or has no piece that is large enough: then what is
	// free says nothing.
	seen bool
}

// over takes in how much memory is free, and reports whether the refusal's reason is
// gone.
func (l *lack) over(free int64, at time.Time) bool {
	if free < l.want {
		l.seen = true
		return false
	}
	return l.seen && at.After(l.at)
}

// expires is when the next of the limits ends, false when there is none.
func (l *learned) expires(now time.Time) (first time.Time, some bool) {
	for _, s := range []shownLimit{l.sessions, l.encoders, l.memory} {
		if now.Before(s.until) && (!some || s.until.Before(first)) {
			first, some = s.until, true
		}
	}
	return first, some
}

// full says that a device refused a session for want of room.
func full(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.EncoderSessionsExhausted || code == fault.GPUOutOfMemory
}

// learn lowers what the device is taken to bear to what it bore without the session
// that it refused.
func (p *Pool) learn(d *device, s *session, err error) {
	if !full(err) {
		return
	}
	now := time.Now()
	s.mu.Lock()
	renditions := s.renditions
	s.mu.Unlock()
	free, at, known := p.o.FreeMemory(d.label)
	d.mu.Lock()
	until := now.Add(unlearn)
	switch {
	case fault.CodeOf(err) == fault.EncoderSessionsExhausted:
		d.learned.encoders = shownLimit{max(0, d.renditions-renditions), until}
	case d.memoryLimit(now) > 0:
		want := d.memoryFor(renditions)
		d.learned.memory = shownLimit{int(max(0, d.memory()-want)), until}
		d.learned.lack = lack{at: now, want: want}
		if known {
			d.learned.lack.over(free, at)
		}
	default:
		d.learned.sessions = shownLimit{max(0, d.sessions-1), until}
	}
	sessions := d.sessions
	d.mu.Unlock()
	p.o.Log.Info("a device bears less than was thought", "device", d.label, "sessions", sessions, fault.Attr(err))
	p.table.touch(d)
	p.watchLimits(d)
}

// regain ends the limit of memory of a device whose memory is free again.
func (p *Pool) regain(d *device) {
	free, at, known := p.o.FreeMemory(d.label)
	now := time.Now()
	d.mu.Lock()
	over := known && now.Before(d.learned.memory.until) && d.learned.lack.over(free, at)
	if over {
		d.learned.memory = shownLimit{}
	}
	d.mu.Unlock()
	if over {
		p.o.Log.Info("a device has memory for sessions again", "device", d.label)
	}
}

// watchLimits looks at the device again whenever a limit that it showed ends.
func (p *Pool) watchLimits(d *device) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.learned.watched {
		return
	}
	d.learned.watched = p.spawn(func() {
		for p.awaitLimit(d) {
			p.regain(d)
			p.look(d)
		}
	})
}

// awaitLimit waits until a limit may end; false when there is none, or the pool ends.
func (p *Pool) awaitLimit(d *device) bool {
	now := time.Now()
	d.mu.Lock()
	at, some := d.learned.expires(now)
	if now.Before(d.learned.memory.until) {
		at = now.Add(min(freeLook, at.Sub(now)))
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
