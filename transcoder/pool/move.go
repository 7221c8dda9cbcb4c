package pool

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// overloadTime is how long a device must be slower than real time before sessions
	// leave it, overloadPause how long after one left it the next may: only then it
	// shows what that was good for.
	overloadTime  = 4 * time.Second
	overloadPause = 2 * time.Second
	// moveRest is how long a session stays where it moved to for want of speed.
	moveRest = 30 * time.Second
)

// device finds where the next segment of a session is done, and moves the session
// when it cannot stay. The caller has the session's turn. The fault is NoTranscoders.
func (p *Pool) device(s *session, job *core.TranscodeJob) (*device, error) {
	capable := p.adapt(s, job)
	now := time.Now()
	s.mu.Lock()
	d, rested, doubted := s.dev, now.Sub(s.moved) >= moveRest, s.doubted
	s.doubted = false
	d.mu.Lock()
	if !s.ended {
		d.recent.touch(s, now)
	}
	ready, gone := d.ready(), d.gone
	slow := ready && rested && d.overloaded(now)
	d.mu.Unlock()
	s.mu.Unlock()
	switch {
	case gone, !ready, !capable, doubted:
		if other := p.move(s, false, d); other != nil {
			return other, nil
		}
	case slow:
		if other := p.move(s, true, d); other != nil {
			s.mu.Lock()
			s.moved = now
			s.mu.Unlock()
			return other, nil
		}
	}
	switch {
	case gone:
		return nil, fault.New(fault.NoTranscoders, "transcode", "the session's transcoder has gone, and no other has room")
	case !capable:
		return nil, fault.New(fault.NoCapableTranscoder, "transcode", "the session needs more than before")
	}
	return d, nil
}

// adapt follows what a job asks for: other renditions change what is booked. It
// reports whether the session's device can do what the job needs.
func (p *Pool) adapt(s *session, job *core.TranscodeJob) bool {
	load, renditions := loadOf(job.Profiles), max(1, len(job.Profiles))
	s.mu.Lock()
	d := s.dev
	if load != s.load || renditions != s.renditions {
		d.mu.Lock()
		more := load > s.load || renditions > s.renditions
		p.rebook(s, load, renditions)
		if more && !s.ended {
			d.awaits(s)
		}
		d.mu.Unlock()
		p.table.touch(d)
		if more {
			p.lookLater(s, d, lately)
		}
	}
	same := !s.misfit && s.needs.is(job.Needs, job.MinVersion)
	s.mu.Unlock()
	if same {
		return true
	}
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.needsOf(job.Needs, job.MinVersion)
	// One that has gone is another matter.
	fit := d.class == nil || slices.Contains(t.compatible(n), d.class)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needs, s.misfit = n, !fit
	return fit
}

// rebook changes what a session is booked with. The caller holds the session's and
// its device's mu.
func (p *Pool) rebook(s *session, load int64, renditions int) {
	weighted := int64(float64(load) * s.weight)
	if d := s.dev; !s.ended && !s.unused {
		d.load += load - s.load
		d.weighted += weighted - s.weighted
		d.renditions += renditions - s.renditions
	}
	s.load, s.weighted, s.renditions = load, weighted, renditions
}

// move finds another device for a session and gives it its place there; nil when there
// is none. Where the session cannot stay, a device that would be slow is better than
// none, unless fast is wanted.
func (p *Pool) move(s *session, fast bool, not ...*device) *device {
	from, to := p.relocate(s, fast, not)
	if from != to && to != nil {
		p.o.Log.Info("a session moves to another device", "session", string(s.id), "from", from.name(), "device", to.name())
	}
	return to
}

// relocate is move under the lock of placement, in which nothing is logged: that may
// take its time.
func (p *Pool) relocate(s *session, fast bool, not []*device) (from, to *device) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.catchUp(looks)
	q := search{load: float64(s.weighted), renditions: s.renditions, skip: not}
	d := p.choose(s.needs, &q)
	if d == nil && !fast {
		q.soft = true
		d = p.choose(s.needs, &q)
	}
	if d == nil || d == s.dev || s.ended {
		return d, d // where it has ended, its place is given back already
	}
	from = s.dev
	p.unseat(s)
	p.seat(s, d)
	p.forget(s.id, from)
	return from, d
}

// forget frees what a session holds on a device that it left.
func (p *Pool) forget(id core.SessionID, d *device) {
	d.mu.Lock()
	gone := d.gone
	d.mu.Unlock()
	if !gone {
		p.spawn(func() { d.engine.EndSession(id) })
	}
}

// overloaded says whether a session should leave because the device has been slower
// than real time for a while; one at a time. The caller holds mu.
func (f *figures) overloaded(now time.Time) bool {
	if f.slow.IsZero() || now.Sub(f.slow) < overloadTime || now.Before(f.nextMove) {
		return false
	}
	f.nextMove = now.Add(overloadPause)
	return true
}
