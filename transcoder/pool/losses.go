package pool

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

const (
	// maxLost is how many transcoders on other machines a segment may lose before that
	// counts as a crash.
	maxLost = 3
	// sameOutage is how far apart losses are that may have one cause which is no stream.
	sameOutage = time.Second
	// maxLosses bounds the losses that are remembered.
	maxLosses = 64
)

// losses are the latest losses of transcoders on other machines: where this node's own
// network fails many are lost together, and no stream is to blame.
type losses struct {
	mu   sync.Mutex
	last []loss // guarded by mu, the oldest first
}

// loss is when a device was first seen to be lost, and over which session's segment;
// "" where nobody's was in work.
type loss struct {
	device int
	who    core.SessionID
	at     time.Time
}

// note remembers a loss, unless it is known already.
func (l *losses) note(d *device, who core.SessionID, now time.Time) {
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
	l.last = append(l.last, loss{d.seq, who, now})
}

// beside says whether another device was lost to somebody else at the same time as one
// of a session's.
func (l *losses) beside(own loss) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.last {
		x := &l.last[i]
		if x.device != own.device && x.who != own.who && x.at.Sub(own.at).Abs() < sameOutage {
			return true
		}
	}
	return false
}

// suspect notes that the segment was the end of several transcoders, which no accident
// is. What it means is decided when the session comes again: an outage takes a moment
// to show as that.
func (c *course) suspect() {
	var own []loss
	for i := range c.failures {
		if f := &c.failures[i]; f.code() == fault.RemoteWorkerLost {
			own = append(own, loss{f.d.seq, c.s.id, f.to})
		}
	}
	if len(own) < maxLost {
		return
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.lost = own
}

// blame decides about a session whose last segment was the end of several transcoders:
// it is the session's doing, unless others were lost at the same time that it had
// nothing to do with. That excuse holds once: streams that end transcoders may come
// together.
func (p *Pool) blame(s *session, job *core.TranscodeJob) {
	s.mu.Lock()
	own := s.lost
	s.lost = nil
	s.mu.Unlock()
	alone := 0
	for _, l := range own {
		if !p.losses.beside(l) {
			alone++
		}
	}
	if len(own) == 0 || alone < maxLost && s.excuse() {
		return
	}
	n := p.flag(s, job)
	p.o.Log.Warn("transcoders on other machines are lost over one segment; another one ends its stream",
		"session", string(s.id), "transcoders", len(own), "times", n)
}

// flag notes that segments of a job's stream before it did harm, and returns how often.
func (p *Pool) flag(s *session, job *core.TranscodeJob) int {
	s.mu.Lock()
	s.clean = 0
	s.mu.Unlock()
	return p.incidents.Flag(incidents.Of(job), time.Now())
}

// excuse says whether the session is excused, which it is once.
func (s *session) excuse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.excused
	s.excused = true
	return first
}
