package pool

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

const (
	// maxLost is how many remote transcoders must be lost over one segment to count as a
	// crash.
	maxLost = 3
	// sameOutage is the largest distance of losses that a network outage may explain.
	sameOutage = time.Second
	// maxLosses bounds the recorded losses.
	maxLosses = 64
)

// losses are the latest losses of remote transcoders. When this node's own network fails,
// many are lost at once, and no stream is to blame.
type losses struct {
	mu   sync.Mutex
	last []lostDevice // guarded by mu, the oldest first
}

// lostDevice is when a device was first found lost, and the session whose segment was in
// progress, "" for none.
type lostDevice struct {
	device  int
	session core.SessionID
	at      time.Time
}

// add records a loss, unless it is recorded already.
func (l *losses) add(d *poolDevice, session core.SessionID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.last {
		if x := &l.last[i]; x.device == d.seq && now.Sub(x.at) < sameOutage {
			return
		}
	}
	if len(l.last) >= maxLosses {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	l.last = append(l.last, lostDevice{d.seq, session, now})
}

// othersLostAround reports whether another device was lost over another session's segment
// at the same time.
func (l *losses) othersLostAround(own lostDevice) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.last {
		x := &l.last[i]
		if x.device != own.device && x.session != own.session && x.at.Sub(own.at).Abs() < sameOutage {
			return true
		}
	}
	return false
}

// recordLosses records that several transcoders were lost over the segment, which is no
// accident. blameLosses decides at the session's next segment, because an outage takes a
// moment to show.
func (a *segmentAttempts) recordLosses() {
	var own []lostDevice
	for i := range a.failures {
		if f := &a.failures[i]; f.code() == fault.RemoteWorkerLost {
			own = append(own, lostDevice{f.d.seq, a.s.id, f.to})
		}
	}
	if len(own) < maxLost {
		return
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.lost = own
}

// blameLosses decides about a session whose last segment lost several transcoders. The
// session is to blame, unless transcoders were lost over other sessions at the same time.
// This excuse holds once, because streams that crash transcoders may come together.
func (p *Pool) blameLosses(s *session, job *core.TranscodeJob) {
	s.mu.Lock()
	own := s.lost
	s.lost = nil
	s.mu.Unlock()
	alone := 0
	for _, l := range own {
		if !p.losses.othersLostAround(l) {
			alone++
		}
	}
	if len(own) == 0 || alone < maxLost && s.excuse() {
		return
	}
	n := p.flagStream(s, job)
	p.o.Log.Warn("transcoders on other machines are lost over one segment; another one ends its stream",
		"session", string(s.id), "transcoders", len(own), "times", n)
}

// flagStream records that earlier segments of a job's stream did harm, and returns how
// often.
func (p *Pool) flagStream(s *session, job *core.TranscodeJob) int {
	s.mu.Lock()
	s.goodRun = 0
	s.mu.Unlock()
	return p.incidents.Flag(incidents.SegmentOf(job), time.Now())
}

// excuse reports whether the session is excused; only the first call is.
func (s *session) excuse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.excused
	s.excused = true
	return first
}
