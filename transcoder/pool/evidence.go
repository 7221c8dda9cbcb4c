package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

const (
	// maxOpen bounds the incidents whose cause is open at a device.
	maxOpen = 16
	// trusted is how long a device that passed its test is not to blame for workers that
	// end.
	trusted = time.Minute
)

// evidence tells whether workers end because of their device or because of what they
// are given: a device that does other segments, or passes its test, is not to blame. It
// is under the device's mu.
type evidence struct {
	// first is the incident since the device last did a segment, which is taken to be
	// the segment's doing; open are those after it.
	first *incidents.Work
	open  []*incidents.Work
	// cleared is when a test was last passed, testing says that one is under way.
	cleared time.Time
	testing bool
	// undecided is when a test last could not be made.
	undecided time.Time
	// last and before are the latest segments of two sessions that were done in less time
	// than they play.
	last, before goodWork
	// worked is when the latest segment was done, in time or not.
	worked time.Time
}

// goodWork is when a session last had a segment done in time.
type goodWork struct {
	session core.SessionID
	at      time.Time
}

// done notes a segment that was done, in less time than it plays or not, and returns the
// incidents that the device is cleared of.
func (e *evidence) done(id core.SessionID, inTime bool, now time.Time) []*incidents.Work {
	if inTime {
		if e.last.session != id {
			e.before = e.last
		}
		e.last = goodWork{id, now}
	}
	open := e.open
	e.first, e.open, e.worked = nil, nil, now
	return open
}

// otherSince says whether a segment of another session was done since a time.
func (e *evidence) otherSince(id core.SessionID, since time.Time) bool {
	for _, g := range []goodWork{e.last, e.before} {
		if g.session != id && g.at.After(since) {
			return true
		}
	}
	return false
}

// proved notes that a device did a segment in a worker of its own.
func (p *Pool) proved(d *device, s *session) {
	now := time.Now()
	d.mu.Lock()
	open := d.evidence.done(s.id, false, now)
	d.mu.Unlock()
	for _, w := range open {
		p.incidents.Failed(w, now)
	}
}

// attribute decides about a segment that ended or blocked a worker of its own, and
// reports whether the segment is to blame. The first one since the device did other
// work is. When more follow, the device is tested, and until that is done the blame
// is open.
func (p *Pool) attribute(d *device, s *session, w *incidents.Work, err error) bool {
	w.Seal()
	now := time.Now()
	d.mu.Lock()
	e := &d.evidence
	clear := e.first == nil || now.Sub(e.cleared) < trusted
	_, testable := d.engine.(reprober)
	test := false
	switch {
	case clear:
		e.first = w
	case testable:
		if len(e.open) < maxOpen {
			e.open = append(e.open, w)
		}
		test = e.beginTest(d.gone, now)
	}
	d.mu.Unlock()
	if test {
		p.spawn(func() { p.examine(d) })
	}
	if clear || !testable {
		p.blameStream(s, d, w, err)
	}
	if !clear && !testable {
		p.accuse(d, err)
	}
	return clear
}

// blameStream notes an incident of a stream.
func (p *Pool) blameStream(s *session, d *device, w *incidents.Work, err error) {
	n := p.incidents.Failed(w, time.Now())
	p.o.Log.Warn("a stream ends or blocks media workers; it gets workers of its own, and is refused when it repeats",
		"session", string(s.id), "device", d.label, "times", n, fault.Attr(err))
}

// examine tests a device over which workers end one after another: if it works, that
// was the segments' doing, else it gets nothing before it works again.
func (p *Pool) examine(d *device) {
	unsure, err := p.verify(d)
	now := time.Now()
	d.mu.Lock()
	e := &d.evidence
	first, open := e.first, e.open
	e.first, e.open, e.testing = nil, nil, false
	begins := false
	switch {
	case err == nil:
		e.cleared = now
	case unsure:
		e.undecided = now
	case !d.gone:
		d.faults, d.lastFault = max(d.faults, patience-1), time.Time{}
		begins = d.fail(now, err)
	}
	q := d.quarantine
	d.mu.Unlock()
	if err == nil {
		for _, w := range open {
			p.incidents.Failed(w, now)
		}
		return
	}
	if first != nil && !unsure {
		p.incidents.Forget(first, now)
	}
	if begins {
		p.beginQuarantine(d, q, err)
	}
}

// blocked decides about a segment that took all of its caller's time in the shared
// worker. Where others were done in that time, and as quickly as they should, the
// segment is to blame; where it was alone there the device may be as well; else it is
// too much work together, which counts against the device.
func (c *course) blocked(ctx context.Context) {
	f := &c.failures[len(c.failures)-1]
	expired := f.code() == fault.TranscodeTimeout
	if f.remote || !f.d.isolates() || !expired && (owned(f.err) || !c.tooLong(ctx, f.to.Sub(f.from))) {
		return
	}
	f.d.mu.Lock()
	others, alone := f.d.evidence.otherSince(c.s.id, f.from), f.d.segments == 0
	f.d.mu.Unlock()
	switch {
	case others:
		c.work.Seal()
		c.p.blameStream(c.s, f.d, c.work, f.err)
	case alone:
		c.p.attribute(f.d, c.s, c.work, f.err)
	case expired && c.doubtful:
		c.crowded(f.d, f.err)
	case expired:
		c.p.accuse(f.d, f.err)
	}
}
