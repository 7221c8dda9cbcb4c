package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxQueue is how many segments of one session may wait behind the one in progress.
const maxQueue = 4

// session is a stream that is assigned to a device.
type session struct {
	id core.SessionID
	// party is accountable for it, "" if unknown.
	party string
	// seniority is smaller the earlier the session was admitted.
	seniority uint64
	// turn is held by the segment in progress; waiters are served in order.
	turn chan struct{}
	// done is closed when the session ends.
	done chan struct{}
	// inProgress counts its segments in progress or waiting, usedAt is when it last had
	// one.
	inProgress atomic.Int32
	usedAt     core.Instant

	// link is guarded by the mu of the session's device.
	link link
	// unused says that nothing is booked for it there; under the same mu.
	unused bool

	mu sync.Mutex // guards the fields below; taken after table.mu and before device.mu
	// dev is its device. Only its segment in progress moves it to another.
	dev   *poolDevice
	ended bool
	needs *needs
	// incapable: its device cannot do what the session needs now.
	incapable bool
	sessionDemand
	sessionPace
	sessionBlame
}

// sessionDemand is what a session takes of its device.
type sessionDemand struct {
	// load and renditions are those of its last segment; weight is its cost relative to
	// other sessions of the same load, and weightedLoad is load × weight. They are changed
	// under the device's mu as well.
	load, weightedLoad int64
	renditions         int
	weight             float64
	// measured: its cost was measured on its device; measuredCost is that cost per unit of
	// its load, measuredLoad its load at the time.
	measured                   bool
	measuredCost, measuredLoad float64
}

// sessionPace is whether a session keeps pace with its source.
type sessionPace struct {
	// typicalTime is the smoothed time that a segment takes, 0 before the first.
	typicalTime time.Duration
	// playsUntil is until when the media it sent play at least; see aheadBy.
	playsUntil time.Time
	// movedAt is when it last left a device that was too slow.
	movedAt time.Time
}

// sessionBlame is what its segments did to devices.
type sessionBlame struct {
	// overtimes counts its segments that exceeded their deadline on several devices,
	// overtimeAt is the time of the last one.
	overtimes  int
	overtimeAt time.Time
	// goodRun counts its good segments since the last overtime or harm; excused says that
	// it was already excused once since then, see blameLosses.
	goodRun int
	excused bool
	// lost are the transcoders that were lost over its last segment, if there were many.
	lost []lostDevice
	// seekOther: only its device blamed its last segment, so the next one should run on
	// another device.
	seekOther bool
	// blamers are remote devices that agreed that a segment of it was at fault, see avoidBlamers.
	blamers []*poolDevice
}

// device returns the session's device.
func (s *session) device() *poolDevice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dev
}

// typical returns the smoothed time that its segments take, 0 before the first.
func (s *session) typical() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typicalTime
}

// goodSegments returns the number of its good segments since one did harm.
func (s *session) goodSegments() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.goodRun
}

const (
	// forgiveAfter is the number of good segments that clears a session's overtimes.
	forgiveAfter = 10
	// maxOvertimes is the number of segments of a session that may exceed their deadline on
	// several transcoders before its segments are refused; overtimeRest is for how long
	// after the last one. The refusal is not final: a faster transcoder elsewhere may do them.
	maxOvertimes = 3
	overtimeRest = 30 * time.Second
)

// recordGoodLocked counts a good segment; enough of them clear the session's record.
func (s *session) recordGoodLocked() {
	if s.goodRun++; s.goodRun >= forgiveAfter {
		s.overtimes, s.excused = 0, false
	}
}

// recordOvertime counts a segment that exceeded its deadline on several transcoders and
// returns the number of them.
func (s *session) recordOvertime() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overtimes, s.overtimeAt, s.goodRun = s.overtimes+1, time.Now(), 0
	return s.overtimes
}

// refusal is why the session's segments are not begun at present, "" when they are.
func (s *session) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.overtimes >= maxOvertimes && time.Since(s.overtimeAt) < overtimeRest {
		return "the stream exceeds its deadline on every transcoder"
	}
	return ""
}

// session finds the job's session or admits it.
func (p *Pool) session(job *core.TranscodeJob) (*session, error) {
	s := p.sessions.get(job.Session)
	if s == nil {
		var err error
		s, err = p.admit(core.SessionRequest{ID: job.Session, Party: job.Party, Profiles: job.Profiles, Needs: job.Needs,
			MinVersion: job.MinVersion})
		if err != nil {
			return nil, err
		}
	}
	p.blameLosses(s, job)
	if why := s.refusal(); why != "" {
		return nil, fault.New(fault.TranscoderBehind, "transcode", why)
	}
	s.usedAt.Store(time.Now())
	return s, nil
}

// enter reserves memory for the input and waits for the session's turn. leave releases
// both.
func (p *Pool) enter(ctx context.Context, s *session, size int64) (leave func(), err error) {
	if err := p.reserve(s, size); err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
	default:
		select {
		case s.turn <- struct{}{}:
		case <-s.done:
			err = fault.New(fault.TranscoderStopped, "transcode", "the session ended")
		case <-ctx.Done():
			err = fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the previous segment", ctx.Err())
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

// reserve counts a segment, unless its session has too many or all inputs together are
// too large.
func (p *Pool) reserve(s *session, size int64) error {
	if p.closed.Load() {
		return fault.New(fault.TranscoderStopped, "transcode", "the node stops")
	}
	// One is in progress, the others wait.
	if s.inProgress.Add(1) > maxQueue+1 {
		s.inProgress.Add(-1)
		return fault.New(fault.TranscoderBusy, "transcode", "four segments of the session wait already")
	}
	if all := p.inputBytes.Add(size); all > p.o.MaxInput && all > size {
		p.inputBytes.Add(-size)
		s.inProgress.Add(-1)
		return fault.New(fault.TranscoderBusy, "transcode", "the segments in work fill the memory set aside for them")
	}
	p.activeSegments.Add(1)
	return nil
}

func (p *Pool) unreserve(s *session, size int64) {
	s.usedAt.Store(time.Now())
	s.inProgress.Add(-1)
	p.inputBytes.Add(-size)
	if p.activeSegments.Add(-1) == 0 && p.draining.Load() {
		p.wake()
	}
}
