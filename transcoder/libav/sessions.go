package libav

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// sessions remembers the little that outlives a segment, and can stop what is in
// work. No media state is kept.
type sessions struct {
	mu     sync.Mutex
	open   map[core.SessionID]*session
	closed bool
	busy   sync.WaitGroup
}

type session struct {
	// sawVideo allows later segments without pictures.
	sawVideo bool
	stop     context.CancelCauseFunc
}

func newSessions() *sessions { return &sessions{open: make(map[core.SessionID]*session)} }

// stopped is the cause of every cancellation that comes from here.
func stopped(why string) error {
	return fault.New(fault.TranscoderStopped, "transcode segment", why)
}

// begin admits a job to its session and says how many sessions are open. The
// caller calls end with the outcome. The context ends with the session.
func (s *sessions) begin(ctx context.Context, job *core.TranscodeJob) (work context.Context, own *session, active int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, 0, stopped("the engine is closed")
	}
	own = s.open[job.Session]
	if own == nil || job.Reinit {
		own = &session{}
		s.open[job.Session] = own
	}
	work, own.stop = context.WithCancelCause(ctx)
	s.busy.Add(1)
	return work, own, len(s.open), nil
}

// end records how a job went. After a failure the session's next segment counts
// as its first.
func (s *sessions) end(own *session, result *core.TranscodeResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own.stop(nil)
	own.sawVideo = result != nil && (own.sawVideo || result.DecodedFrames > 0)
	s.busy.Done()
}

// forget ends a session and reports whether it was the last.
func (s *sessions) forget(id core.SessionID) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.open[id]
	if open == nil {
		return false
	}
	open.stop(stopped("the session ended"))
	delete(s.open, id)
	return len(s.open) == 0
}

// close stops everything and waits for it.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	for _, open := range s.open {
		open.stop(stopped("the engine is closed"))
	}
	clear(s.open)
	s.mu.Unlock()
	s.busy.Wait()
}
