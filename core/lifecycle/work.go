package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrDrainOver is why work ends that is left at the end of a drain. Read-only.
var ErrDrainOver = errors.New("the drain's time is over")

// endTime is kept of a drain's time for what ends with the work: the last requests of its clients.
const endTime = 2 * time.Second

// Work is a kind of work that lasts: it has no end of its own that a stop could wait for, or one that is far.
type Work struct {
	// Kind is its name, for operators.
	Kind string
	// Request: it is one request, which ends by itself; otherwise it is a session.
	Request bool
	// Count returns how much there is, AwaitIdle when there is none or with ctx's error.
	Count     func() int
	AwaitIdle func(ctx context.Context) error
	// End ends what there is; nil lets it end by itself.
	End func()
}

// Drain waits until there is no work. What is left shortly before ctx's deadline is ended. The caller must have refused
// new work.
func (w *Work) Drain(ctx context.Context) error {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if at, ok := ctx.Deadline(); ok && w.End != nil {
		waiting, cancel = context.WithTimeout(ctx, time.Until(at)-min(endTime, time.Until(at)/2))
	}
	defer cancel()
	if w.AwaitIdle(waiting) == nil {
		return nil
	}
	if w.End != nil {
		w.End()
	}
	return w.AwaitIdle(ctx)
}

// Sessions counts sessions of a server and ends them. The zero value has none.
type Sessions struct {
	mu sync.Mutex
	// All below is guarded by mu. ends are the sessions' by number, idle is closed when there is none; nil while that
	// is not waited for.
	ends map[int]context.CancelCauseFunc
	last int
	idle chan struct{}
}

// Begin adds a session. Its ctx ends with parent, or with the cause of End. The caller must call done.
func (s *Sessions) Begin(parent context.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = make(map[int]context.CancelCauseFunc)
	}
	s.last++
	number := s.last
	s.ends[number] = cancel
	return ctx, func() {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.ends, number)
		if len(s.ends) == 0 && s.idle != nil {
			close(s.idle)
			s.idle = nil
		}
	}
}

// Count returns how many sessions there are.
func (s *Sessions) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ends)
}

// End ends all sessions with the cause ErrDrainOver.
func (s *Sessions) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.ends {
		end(ErrDrainOver)
	}
}

// AwaitIdle waits until there is no session, or for ctx.
func (s *Sessions) AwaitIdle(ctx context.Context) error {
	s.mu.Lock()
	if len(s.ends) == 0 {
		s.mu.Unlock()
		return nil
	}
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Work is the kind of work that the sessions are.
func (s *Sessions) Work(kind string) *Work {
	return &Work{Kind: kind, Count: s.Count, AwaitIdle: s.AwaitIdle, End: s.End}
}
