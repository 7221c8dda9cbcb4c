package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

const (
	// maxOpenIncidents bounds a device's incidents of undecided cause.
	maxOpenIncidents = 16
	// clearedTime is how long a device that passed its test is not blamed for workers that
	// end.
	clearedTime = time.Minute
)

// blameEvidence decides whether workers end because of the device or because of their
// segments. A device that does other segments, or passes its test, is not to blame. It is
// guarded by the device's mu.
type blameEvidence struct {
	// firstIncident is the first one since the device last did a segment; it is blamed on
	// its segment. openIncidents are those after it, not decided yet.
	firstIncident *incidents.Segment
	openIncidents []*incidents.Segment
	// clearedAt is when a test was last passed; testing: a test is running.
	clearedAt time.Time
	testing   bool
	// inconclusiveAt is when a test last could not be made.
	inconclusiveAt time.Time
	// lastGood and previousGood are the latest real-time segments of two sessions.
	lastGood, previousGood goodSegment
	// doneAt is when the latest segment was done, in real time or not.
	doneAt time.Time
	share  share
}

// goodSegment is when a session last had a segment done in real time.
type goodSegment struct {
	session core.SessionID
	at      time.Time
}

// recordDone records a segment that was done, in real time or not, and returns the
// incidents that the device is cleared of.
func (e *blameEvidence) recordDone(id core.SessionID, inTime bool, now time.Time) []*incidents.Segment {
	if inTime {
		if e.lastGood.session != id {
			e.previousGood = e.lastGood
		}
		e.lastGood = goodSegment{id, now}
	}
	open := e.openIncidents
	e.firstIncident, e.openIncidents, e.doneAt = nil, nil, now
	return open
}

// otherSince reports whether a segment of another session was done since a time.
func (e *blameEvidence) otherSince(id core.SessionID, since time.Time) bool {
	for _, g := range []goodSegment{e.lastGood, e.previousGood} {
		if g.session != id && g.at.After(since) {
			return true
		}
	}
	return false
}

// recordIsolatedSuccess records that a device did a segment in a worker of its own.
func (p *Pool) recordIsolatedSuccess(d *poolDevice, s *session) {
	now := time.Now()
	d.mu.Lock()
	open := d.evidence.recordDone(s.id, false, now)
	d.mu.Unlock()
	for _, w := range open {
		p.incidents.Blame(w, now)
	}
}

// attributeBlame decides about a segment that ended or blocked a worker of its own, and
// reports whether the segment is to blame. The first one since the device did other work
// is. When more follow, the device is tested, and the blame is open until then.
func (p *Pool) attributeBlame(d *poolDevice, s *session, w *incidents.Segment, err error) bool {
	w.Seal()
	now := time.Now()
	d.mu.Lock()
	e := &d.evidence
	clear := e.firstIncident == nil || now.Sub(e.clearedAt) < clearedTime
	_, testable := d.engine.(reprober)
	test := false
	switch {
	case clear:
		e.firstIncident = w
	case testable:
		if len(e.openIncidents) < maxOpenIncidents {
			e.openIncidents = append(e.openIncidents, w)
		}
		test = e.beginTest(d.gone, now)
	}
	d.mu.Unlock()
	if test {
		p.spawn(func() { p.testForBlame(d) })
	}
	if clear || !testable {
		p.blameStream(s, d, w, err)
	}
	if !clear && !testable {
		p.blameDevice(d, err)
	}
	return clear
}

// blameStream records an incident of a stream.
func (p *Pool) blameStream(s *session, d *poolDevice, w *incidents.Segment, err error) {
	n := p.incidents.Blame(w, time.Now())
	p.o.Log.Warn("a stream ends or blocks media workers; it gets workers of its own, and is refused when it repeats",
		"session", string(s.id), "device", d.label, "times", n, fault.Attr(err))
}

// testForBlame tests a device whose workers end repeatedly. If the device works, the
// segments are to blame, else the device is quarantined.
func (p *Pool) testForBlame(d *poolDevice) {
	inconclusive, err := p.testUndisturbed(d)
	now := time.Now()
	d.mu.Lock()
	e := &d.evidence
	first, open := e.firstIncident, e.openIncidents
	e.firstIncident, e.openIncidents, e.testing = nil, nil, false
	begins := false
	switch {
	case err == nil:
		e.clearedAt = now
	case inconclusive:
		e.inconclusiveAt = now
	case !d.gone:
		d.faults, d.lastFault = max(d.faults, maxFaults-1), time.Time{}
		begins = d.fail(now, err)
	}
	q := d.quarantine
	d.mu.Unlock()
	if err == nil {
		for _, w := range open {
			p.incidents.Blame(w, now)
		}
		return
	}
	if first != nil && !inconclusive {
		p.incidents.TakeBack(first, now)
	}
	if begins {
		p.beginQuarantine(d, q, err)
	}
}

// blameBlocking decides about a segment that took all of its caller's time in the shared
// worker. If other segments were done in real time meanwhile, the segment is to blame. If
// it was alone, either may be. Else the device had too much to do, or several blocked it
// together. A segment that only waited is not to blame.
func (a *segmentAttempts) blameBlocking(ctx context.Context) {
	f := &a.failures[len(a.failures)-1]
	if f.remote || !f.d.isolates() || f.work.took == 0 {
		return
	}
	late := f.code() == fault.TranscodeTimeout || f.code() == fault.TranscoderBehind
	switch blame := f.d.mayBlame(a.s, f.work); {
	case !late && (ownFailure(f.err) || !a.tookTooLong(ctx, f.work.took)):
	case blame && f.work.undisturbed():
		a.p.attributeBlame(f.d, a.s, a.segment, f.err)
	case blame:
		a.segment.Seal()
		a.p.blameStream(a.s, f.d, a.segment, f.err)
	default:
		a.sharedLate(f.d, f.work, f.err)
	}
}
