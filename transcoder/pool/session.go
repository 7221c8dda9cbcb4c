package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxQueue is how many segments of one session may wait for the one in work.
const maxQueue = 4

// session is a stream that has a place on a device.
type session struct {
	id core.SessionID
	// seniority is smaller the earlier the session was admitted.
	seniority uint64
	// turn is held by the segment in work; waiters are served in order.
	turn chan struct{}
	// over is closed when the session ends.
	over chan struct{}
	// inside counts its segments in work or waiting, used is when it last had one, in
	// nanoseconds.
	inside atomic.Int32
	used   atomic.Int64

	// link is under the mu of the session's device.
	link link
	// unused says that nothing is booked for it there; under the same mu.
	unused bool

	mu sync.Mutex // covers what follows; taken before a device's, after the table's
	// dev is where it has its place. Only its segment in work moves it.
	dev   *device
	ended bool
	needs *needs
	// misfit says that its device cannot do what it needs now.
	misfit bool
	// These are changed under the device's mu as well. load and renditions are what it asked for last; weight is how much dearer it is
	// than others of its load, and weighted both together.
	load, weighted int64
	renditions     int
	weight         float64
	// measured says that it has shown on its device what it costs, own is how much per
	// unit of its load, ownLoad the load at the time.
	measured     bool
	own, ownLoad float64
	// wall is what a segment takes as a rule, 0 before the first.
	wall time.Duration
	// pace is until when what it sent plays at least; see ahead.
	pace time.Time
	// moved is when it last left a device for want of speed.
	moved time.Time
	// late counts its segments that took longer than their time on several devices,
	// lateAt is when the last one did.
	late   int
	lateAt time.Time
	// clean counts its good segments since the last of these; excused says that since
	// then it was once not blamed for what it had to do with; see blame.
	clean   int
	excused bool
	// lost are the transcoders that its last segment lost, if they were many.
	lost []loss
	// doubted says that its device found its last segment at fault and no other was
	// asked.
	doubted bool
}

// at is the session's device.
func (s *session) at() *device {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dev
}

// usual is what its segments take as a rule, 0 before the first.
func (s *session) usual() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wall
}

// good is how many of its segments were done since one of them did harm.
func (s *session) good() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clean
}

const (
	// pardon is how many good segments make up for those that were late.
	pardon = 10
	// maxLate is how many segments of a session may take longer than their time on
	// several transcoders before the others are refused, lateRest for how long they are
	// from the last one on.
	maxLate  = 3
	lateRest = 30 * time.Second
)

// acquit counts a good segment; after enough of them the session is as any other. The
// caller holds mu.
func (s *session) acquit() {
	if s.clean++; s.clean >= pardon {
		s.late, s.excused = 0, false
	}
}

// overtime counts a segment that took longer than its time on several transcoders and
// returns how many there were.
func (s *session) overtime() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late, s.lateAt, s.clean = s.late+1, time.Now(), 0
	return s.late
}

// refusal is why the session gets nothing done for a while, "" when it does.
func (s *session) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late >= maxLate && time.Since(s.lateAt) < lateRest {
		return "the stream takes longer than its time on every transcoder"
	}
	return ""
}

// session finds the job's session or admits it.
func (p *Pool) session(job *core.TranscodeJob) (*session, error) {
	s := p.sessions.get(job.Session)
	if s == nil {
		var err error
		s, err = p.admit(core.SessionRequest{ID: job.Session, Profiles: job.Profiles, Needs: job.Needs, MinVersion: job.MinVersion})
		if err != nil {
			return nil, err
		}
	}
	p.blame(s, job)
	if why := s.refusal(); why != "" {
		return nil, fault.New(fault.SegmentRefused, "transcode", why)
	}
	s.used.Store(time.Now().UnixNano())
	return s, nil
}

// enter waits for the session's turn and takes room for the input. leave gives
// both back.
func (p *Pool) enter(ctx context.Context, s *session, size int64) (leave func(), err error) {
	if err := p.reserve(s, size); err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
	default:
		select {
		case s.turn <- struct{}{}:
		case <-s.over:
			err = fault.New(fault.TranscoderStopped, "transcode", "the session ended")
		case <-ctx.Done():
			err = fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the segment before", ctx.Err())
		}
	}
	if err != nil {
		p.unreserve(s, size)
		return nil, err
	}
	return func() {
		<-s.turn
		p.unreserve(s, size)
	}, nil
}

// reserve counts a segment in, unless there are too many of the session or too much
// altogether.
func (p *Pool) reserve(s *session, size int64) error {
	if p.closed.Load() {
		return fault.New(fault.TranscoderStopped, "transcode", "the node stops")
	}
	// One more than wait is in work.
	if s.inside.Add(1) > maxQueue+1 {
		s.inside.Add(-1)
		return fault.New(fault.TranscoderBusy, "transcode", "four segments of the session wait already")
	}
	if all := p.input.Add(size); all > p.o.MaxInput && all > size {
		p.input.Add(-size)
		s.inside.Add(-1)
		return fault.New(fault.TranscoderBusy, "transcode", "the segments in work fill the memory set aside for them")
	}
	p.active.Add(1)
	return nil
}

func (p *Pool) unreserve(s *session, size int64) {
	s.used.Store(time.Now().UnixNano())
	s.inside.Add(-1)
	p.input.Add(-size)
	if p.active.Add(-1) == 0 && p.draining.Load() {
		p.wake()
	}
}
