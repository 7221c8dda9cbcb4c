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

// learned are the limits that a device showed at work. It is under the device's mu.
type learned struct {
	sessions, encoders, memory shownLimit
	// watched: someone waits for the end of the next of them.
	watched bool
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
	d.mu.Lock()
	until := now.Add(unlearn)
	switch {
	case fault.CodeOf(err) == fault.EncoderSessionsExhausted:
		d.learned.encoders = shownLimit{max(0, d.renditions-renditions), until}
	case d.memoryLimit(now) > 0:
		one := d.offer.SessionMemory + int64(renditions-1)*d.offer.RenditionMemory
		d.learned.memory = shownLimit{int(max(0, d.memory()-one)), until}
	default:
		d.learned.sessions = shownLimit{max(0, d.sessions-1), until}
	}
	sessions := d.sessions
	d.mu.Unlock()
	p.o.Log.Info("a device bears less than was thought", "device", d.label, "sessions", sessions, fault.Attr(err))
	p.table.touch(d)
	p.watchLimits(d)
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
			p.look(d)
		}
	})
}

// awaitLimit waits for the end of the next limit; false when there is none, or the
// pool ends.
func (p *Pool) awaitLimit(d *device) bool {
	d.mu.Lock()
	at, some := d.learned.expires(time.Now())
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
