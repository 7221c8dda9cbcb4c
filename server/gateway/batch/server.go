package batch

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// Server keeps files and runs batches. Make it with New, mount it with Register, and run it: it is
// a lifecycle component.
type Server struct {
	opt Options
	// handler serves the lines.
	handler http.Handler
	// wake has the plan made again.
	wake chan struct{}
	// locks is the file whose bytes stand for batches. Set by Run.
	locks *os.File
	// lines end with cancel; work are the goroutines of lines, validation and finishing.
	lines  context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	// changes are requests that change what is on disk.
	changes sync.WaitGroup

	mu       sync.Mutex // guards what follows
	accounts map[apikeys.Hash]*account
	jobs     map[string]*job
	// active are the batches that have not ended, oldest first.
	active []*job
	bytes  int64
	tally  tally
	// validating: a file is checked.
	validating bool
	// turns counts those of keys, at checks and at lines.
	turns int64
	// paused: no line starts any more. leaving: another process takes over. stopped: nothing starts.
	paused, leaving, stopped bool
	swept                    time.Time
}

var (
	_ lifecycle.Component   = (*Server)(nil) // Read-only.
	_ lifecycle.SocketOwner = (*Server)(nil) // Read-only.
)

// New makes a Server. It opens nothing; Run does.
func New(opt Options) (*Server, error) {
	if opt.Dir == "" || opt.Keys == nil {
		return nil, fault.New(fault.MissingOption, "make batches", "they need a directory and keys")
	}
	s := &Server{opt: opt.withDefaults(), wake: make(chan struct{}, 1), accounts: make(map[apikeys.Hash]*account),
		jobs:  make(map[string]*job),
		tally: tally{lines: make(map[string]int64), ended: make(map[string]int64)}}
	s.lines, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Name names the component.
func (*Server) Name() string { return "batches" }

// Run reads what is on disk and runs batches until ctx ends. Lines in progress are then ended, and
// run again after the next start; after HandOver they go on.
func (s *Server) Run(ctx context.Context, ready func()) error {
	if err := s.open(); err != nil {
		return err
	}
	ready()
	tick := time.NewTicker(s.opt.Limits.Tick)
	defer tick.Stop()
	for {
		s.plan(s.opt.Now())
		select {
		case <-tick.C:
			s.adopt()
			s.sweep(s.opt.Now())
		case <-s.wake:
		case <-ctx.Done():
			s.Pause()
			s.mu.Lock()
			leaving := s.leaving
			s.mu.Unlock()
			if !leaving {
				s.Stop()
				_ = s.locks.Close() // it has no content
			}
			return nil
		}
	}
}

// Stop ends the lines in progress. They run again after the next start.
func (s *Server) Stop() {
	s.Pause()
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
}

// Pause lets no further line start. Those in progress go on.
func (s *Server) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = true
	for _, j := range s.active {
		j.closeLocked()
	}
}

// HandOver leaves the batches to another process: those with lines in progress once these have
// their answers.
func (s *Server) HandOver(context.Context) error {
	s.mu.Lock()
	s.leaving = true
	s.mu.Unlock()
	s.Pause()
	s.changes.Wait() // they write a file or two
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.active {
		s.releaseLocked(j)
	}
	return nil
}

// releaseLocked leaves a batch to the process that takes over, when nothing of it goes on here.
func (s *Server) releaseLocked(j *job) {
	if s.leaving && !j.foreign && j.running == 0 && !j.busy {
		j.foreign = true
		_, _ = lockByte(s.locks, lockOffset(j.ID), false) // the end of the process unlocks it in any case
	}
}

// Finish waits after a handover for the lines in progress; they are ended when ctx ends.
func (s *Server) Finish(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.cancel()
		<-done
		return ctx.Err()
	}
}

// change counts a request that changes what is on disk. The error is the fault Draining.
func (s *Server) change() (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving {
		return nil, fault.New(fault.Draining, "change batches", "another process takes over; send the request again")
	}
	s.changes.Add(1)
	return s.changes.Done, nil
}

func (s *Server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// newID makes an unguessable ID.
func (s *Server) newID(prefix string) (string, error) {
	var b [idDigits / 2]byte
	if _, err := io.ReadFull(s.opt.Rand, b[:]); err != nil {
		return "", fault.Wrap(fault.BatchStoreFailed, "make an ID", err)
	}
	return prefix + hex.EncodeToString(b[:]), nil
}
