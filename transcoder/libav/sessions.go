package libav

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// How long a session may hold a GPU's decoder and encoders between two segments:
// while there is room, and while another one finds none. Streams come a few seconds
// at a time.
const (
	idleAtMost        = 30 * time.Second
	idleUnderPressure = 8 * time.Second
)

// sessions keeps what outlives a segment, and can stop segments in progress. On the
// CPU no media state is kept.
type sessions struct {
	now func() time.Time

	mu     sync.Mutex
	open   map[core.SessionID]*session
	closed bool
	busy   sync.WaitGroup
}

type session struct {
	// sawVideo allows later segments without frames.
	sawVideo bool
	// established says that a segment was done, on a GPU.
	established bool
	stop        context.CancelCauseFunc

	// working: a segment is in progress; then media and what follows it are its
	// job's, else they are guarded by sessions' lock. gone says that the session has
	// ended meanwhile. since is when its last segment ended.
	working, gone bool
	since         time.Time
	media         *media
	// form is what the device refuses to the session for good; encodeAgain is when the
	// encoders that were taken are tried again, zero when they never were. refused
	// counts the segments in a row that the decoder refused, and decodeAgain is when
	// it is tried again after too many.
	form        form
	encodeAgain time.Time
	refused     int
	decodeAgain time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, open: make(map[core.SessionID]*session)}
}

// stopped is the cause of every cancellation that comes from here.
func stopped(why string) error {
	return fault.New(fault.TranscoderStopped, "transcode segment", why)
}

// begin admits a job to its session and says how many sessions are open. The
// caller calls end with the outcome. The context ends with the session.
func (s *sessions) begin(
	ctx context.Context, job *core.TranscodeJob,
) (work context.Context, own *session, active int, err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, 0, stopped("the engine is closed")
	}
	var over *media
	own = s.open[job.Session]
	// One that is still at work was left to a driver that hangs.
	if own == nil || own.working || job.Reinit {
		over = s.leave(own)
		own = &session{}
		s.open[job.Session] = own
	}
	own.working = true
	work, own.stop = context.WithCancelCause(ctx)
	s.busy.Add(1)
	active = len(s.open)
	s.mu.Unlock()
	s.dispose(over)
	return work, own, active, nil
}

// dispose closes what sessions have left behind, which leave and reclaim have counted
// as work: a driver that hangs in it holds up neither the caller nor other sessions.
func (s *sessions) dispose(over ...*media) {
	for _, m := range over {
		if m == nil {
			continue
		}
		closed := make(chan struct{})
		go func() {
			m.close()
			s.busy.Done()
			close(closed)
		}()
		within(closed, stopPatience)
	}
}

// end records how a job went. After a failure the session's next segment counts
// as its first.
func (s *sessions) end(own *session, result *core.TranscodeResult) {
	s.mu.Lock()
	own.stop(nil)
	own.sawVideo = result != nil && (own.sawVideo || result.DecodedFrames > 0)
	own.established = own.established || result != nil
	own.working, own.since = false, s.now()
	var over *media
	if own.gone || result == nil {
		over, own.media = own.media, nil
	}
	s.mu.Unlock()
	over.close()
	s.busy.Done()
}

// leave ends a session, which may be nil, and returns what is left of it to close.
func (s *sessions) leave(own *session) *media {
	if own == nil {
		return nil
	}
	own.gone = true
	if own.working {
		return nil // its job closes it
	}
	return s.take(own)
}

// take takes from a session what it holds on a GPU, for dispose. The lock is held.
func (s *sessions) take(own *session) *media {
	m := own.media
	if own.media = nil; m != nil {
		s.busy.Add(1)
	}
	return m
}

// reclaim takes what sessions hold on a GPU that have been idle for so long, and
// reports whether there was any.
func (s *sessions) reclaim(idle time.Duration) bool {
	s.mu.Lock()
	before := s.now().Add(-idle)
	var over []*media
	for _, own := range s.open {
		if !own.working && own.media != nil && !own.since.After(before) {
			over = append(over, s.take(own))
		}
	}
	s.mu.Unlock()
	s.dispose(over...)
	return len(over) > 0
}

// forget ends a session and reports whether it was the last.
func (s *sessions) forget(id core.SessionID) (last bool) {
	s.mu.Lock()
	open := s.open[id]
	if open == nil {
		s.mu.Unlock()
		return false
	}
	open.stop(stopped("the session ended"))
	delete(s.open, id)
	over, last := s.leave(open), len(s.open) == 0
	s.mu.Unlock()
	s.dispose(over)
	return last
}

// close stops everything. The channel is closed when no segment is in progress any more.
func (s *sessions) close() <-chan struct{} {
	s.mu.Lock()
	s.closed = true
	var over []*media
	for _, open := range s.open {
		open.stop(stopped("the engine is closed"))
		over = append(over, s.leave(open))
	}
	clear(s.open)
	s.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		s.dispose(over...)
		s.busy.Wait()
		close(idle)
	}()
	return idle
}
