package pool

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// overloadTime is how long a device must be slower than real time before a session
	// leaves it; overloadPause is the pause before the next one, in which the effect of the
	// move shows.
	overloadTime  = 4 * time.Second
	overloadPause = 2 * time.Second
	// moveRest is how long a session stays on the device that it moved to for speed.
	moveRest = 30 * time.Second
)

// deviceFor returns the device for the next segment of a session. It moves the session when it
// cannot stay. The caller has the session's turn. The fault is NoTranscoders or
// NoCapableTranscoder.
func (p *Pool) deviceFor(s *session, job *core.TranscodeJob) (*poolDevice, error) {
	capable := p.updateNeeds(s, job)
	now := time.Now()
	s.mu.Lock()
	d, rested, seekOther, not := s.dev, now.Sub(s.movedAt) >= moveRest, s.seekOther, slices.Clone(s.blamers)
	s.seekOther = false
	d.mu.Lock()
	if !s.ended {
		d.recent.touch(s, now)
	}
	ready, gone := d.ready(), d.gone
	slow := ready && rested && d.overloaded(now)
	d.mu.Unlock()
	s.mu.Unlock()
	switch {
	case seekOther && len(not) > 0:
		if other := p.move(s, false, append(not, d)...); other != nil {
			return other, nil
		}
	}
	switch {
	case gone, !ready, !capable, seekOther:
		if other := p.move(s, false, d); other != nil {
			return other, nil
		}
	case slow:
		if other := p.move(s, true, d); other != nil {
			s.mu.Lock()
			s.movedAt = now
			s.mu.Unlock()
			return other, nil
		}
	}
	switch {
	case gone:
		return nil, fault.New(fault.NoTranscoders, "transcode", "the session's transcoder is gone, and no other has capacity")
	case !capable:
		return nil, fault.New(fault.NoCapableTranscoder, "transcode", "the session needs more than before")
	}
	return d, nil
}

// updateNeeds updates the session's booking and needs from a job. It reports whether the
// session's device can serve them.
func (p *Pool) updateNeeds(s *session, job *core.TranscodeJob) bool {
	load, renditions := sessionLoad(job.Profiles), max(1, len(job.Profiles))
	s.mu.Lock()
	d := s.dev
	if load != s.load || renditions != s.renditions {
		d.mu.Lock()
		more := load > s.load || renditions > s.renditions
		p.rebookLocked(s, load, renditions)
		if more && !s.ended {
			d.awaitUseLocked(s)
		}
		d.mu.Unlock()
		p.table.markStale(d)
		if more {
			p.recheckLater(s, d, recentPeriod)
		}
	}
	same := !s.incapable && s.needs.equal(job.Needs, job.MinVersion)
	s.mu.Unlock()
	if same {
		return true
	}
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.needsLocked(job.Needs, job.MinVersion)
	// A detached device is handled by the caller.
	fit := d.class == nil || slices.Contains(t.compatibleLocked(n), d.class)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needs, s.incapable = n, !fit
	return fit
}

// rebookLocked changes a session's booking. The caller holds the session's and its
// device's mu.
func (p *Pool) rebookLocked(s *session, load int64, renditions int) {
	weighted := int64(float64(load) * s.weight)
	if d := s.dev; !s.ended && !s.unused {
		d.load += load - s.load
		d.weightedLoad += weighted - s.weightedLoad
		d.renditions += renditions - s.renditions
	}
	s.load, s.weightedLoad, s.renditions = load, weighted, renditions
}

// choice is what a device must be that a session moves to. Unless fast is set, a device that would be
// too slow is accepted when no other has capacity. local: it is on this machine. voters: its verdicts
// count.
type choice struct{ fast, local, voters bool }

// move moves a session to another device and returns it, nil when there is none.
func (p *Pool) move(s *session, fast bool, not ...*poolDevice) *poolDevice {
	return p.moveTo(s, choice{fast: fast}, not...)
}

// moveTo is move to a device of a kind.
func (p *Pool) moveTo(s *session, c choice, not ...*poolDevice) *poolDevice {
	from, to := p.relocate(s, c, not)
	if from != to && to != nil {
		p.o.Log.Info("a session moves to another device", "session", string(s.id), "from", from.name(), "device", to.name())
	}
	return to
}

// relocate is move under table.mu, without the log line, which may block.
func (p *Pool) relocate(s *session, c choice, not []*poolDevice) (from, to *poolDevice) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.refreshStaleLocked(maxRefreshes)
	not = append(p.table.limitedLocked(s.party, s.renditions), not...)
	q := search{load: float64(s.weightedLoad), renditions: s.renditions, skip: not, choice: c}
	d := p.chooseLocked(s.needs, &q)
	if d == nil && !c.fast {
		q.ignoreLoad = true
		d = p.chooseLocked(s.needs, &q)
	}
	if d == nil || d == s.dev || s.ended {
		return d, d // an ended session has no capacity booked
	}
	from = s.dev
	p.unassignLocked(s)
	p.assignLocked(s, d)
	p.releaseOn(s.id, from)
	return from, d
}

// releaseOn frees a session's resources on a device that it left.
func (p *Pool) releaseOn(id core.SessionID, d *poolDevice) {
	d.mu.Lock()
	gone := d.gone
	d.mu.Unlock()
	if !gone {
		p.spawn(func() { d.engine.EndSession(id) })
	}
}

// overloaded reports whether a session should leave because the device has been slower
// than real time for a while. Sessions leave one at a time.
func (f *measurements) overloaded(now time.Time) bool {
	if f.slowSince.IsZero() || now.Sub(f.slowSince) < overloadTime || now.Before(f.nextMove) {
		return false
	}
	f.nextMove = now.Add(overloadPause)
	return true
}
