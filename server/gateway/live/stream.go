package live

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// maxChanges is how many changes of orchestrator may follow each other within changesWithin.
	maxChanges    = 2
	changesWithin = 3 * time.Minute
	// restFor is how many later choices pass an orchestrator over that was late.
	restFor = 5
)

var (
	errNoOrchestrator = errors.New("no orchestrators available")
	errReplaced       = errors.New("another publisher took the stream's name")
	errNoInput        = errors.New("the publisher sends no pictures")
	errPublisherGone  = errors.New("the publisher's connection ended")
	errStopping       = errors.New("the gateway is stopping")
)

// published is what a publisher says of its stream, and what it is given.
type published struct {
	// by is the publisher. named: the operator's service chose the id.
	by    identity
	named bool
	// name is what it is published as, id what its status is called; request is its random number.
	name, id, request string
	// model is the pipeline's model, with its first params. pipelineID is the application's name for it.
	model, pipelineID string
	params            json.RawMessage
	// only is a part of the URI of the orchestrators that may be used.
	only string
	// outputs are RTMP addresses that get the result.
	outputs []string
	// playURL is where viewers find it.
	playURL string
}

// stream is one that is published.
type stream struct {
	published
	srv *Server
	out *output
	seg *segmenter.Segmenter
	// plan is nil for a stream that its publisher begins.
	plan *plan
	// stop ends the stream with a reason; done is closed when it has ended.
	stop context.CancelCauseFunc
	done chan struct{}
	// tried is closed when orchestrators were asked for the first time.
	tried     chan struct{}
	triedOnce sync.Once
	// copies are kept of the first segments, to look into faults; nil for none.
	copies *segmentCopies

	mu sync.Mutex
	// update are the parameters that were sent last, number how many were; changed is closed with the next.
	update  []byte
	number  int
	changed chan struct{}
	status  map[string]any
	// last fills what a status event leaves out.
	last    struct{ params, logs any }
	failure failure
	endedAt time.Time

	// reports sends the stream's events to the operator, ingested is the quality of its publisher's connection.
	reports  reporter
	ingested measuring
}

// failure is what failed last, and when.
type failure struct {
	err error
	at  time.Time
}

// run serves the stream at one orchestrator after another until ctx ends or none can be found.
func (s *stream) run(ctx context.Context) {
	defer close(s.done)
	changes, left := 0, time.Time{}
	s.trace(telemetry.ReceivedStream, nil)
	for ctx.Err() == nil {
		err := s.serve(ctx)
		if ctx.Err() != nil {
			break
		}
		at := s.srv.o.Now()
		if changes++; left.IsZero() || at.Sub(left) >= changesWithin {
			changes = 1
		}
		left = at
		s.fail(err)
		if errors.Is(err, errNoOrchestrator) || changes > maxChanges {
			s.srv.o.Log.Warn("a live stream ends", "stream", s.id, "changes", changes, "err", err)
			s.stop(err)
		} else {
			s.swapped(err)
		}
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		s.fail(err)
	}
	s.mu.Lock()
	s.endedAt = s.srv.o.Now()
	s.mu.Unlock()
	s.out.close()
	s.trace(telemetry.ClosedStream, nil)
	s.endReports()
}

// serve serves the stream at one orchestrator, and returns why it left it.
func (s *stream) serve(ctx context.Context) error {
	j, err := s.choose(ctx)
	s.triedOnce.Do(func() { close(s.tried) })
	if err != nil {
		return err
	}
	s.reports.setOrchestrator(j.o)
	s.plan.begun()
	s.srv.o.Log.Info("a live stream runs at an orchestrator", "stream", s.id, "orchestrator", j.o.URI())
	err = j.run()
	if late, ok := errors.AsType[*leftError](err); ok && late.late {
		s.srv.rest(j.o.URI())
	}
	if ctx.Err() == nil {
		s.srv.o.Log.Warn("a live stream leaves its orchestrator", "stream", s.id, "orchestrator", j.o.URI(), "err", err)
	}
	return err
}

// choose begins the stream at the first orchestrator that takes it.
func (s *stream) choose(ctx context.Context) (*job, error) {
	network, within := s.plan.network(&s.srv.o)
	search, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := network.Find(search, s.model)
	if err != nil {
		s.trace(telemetry.NoOrchestrator, nil)
		return nil, errors.Join(errNoOrchestrator, err)
	}
	found = slices.DeleteFunc(found, func(o Orchestrator) bool { return !strings.Contains(o.URI(), s.only) })
	errs := []error{errNoOrchestrator}
	for _, o := range s.srv.rested(found) {
		if search.Err() != nil {
			break
		}
		s.srv.o.Recorder.Attempt()
		j, err := s.begin(ctx, o)
		if err == nil {
			for _, failed := range errs {
				upstream.Blame(failed) // its parameters were not the cause
			}
			if s.plan == nil { // that of a second is no price of pixels
				s.srv.o.Recorder.Price(o.Price())
			}
			return j, nil
		}
		s.srv.o.Log.Info("an orchestrator does not take a live stream", "stream", s.id, "orchestrator", o.URI(), "err", err)
		errs = append(errs, err)
	}
	if ctx.Err() == nil {
		s.trace(telemetry.NoOrchestrator, nil)
	}
	return nil, errors.Join(errs...)
}

// fail records an error for the status.
func (s *stream) fail(err error) {
	s.failed(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = failure{err: err, at: s.srv.o.Now()}
}

// change takes new parameters.
func (s *stream) change(params []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update = params
	s.number++
	close(s.changed)
	s.changed = make(chan struct{})
}

// parameters are the latest of change, their number, and a channel that is closed with the next.
func (s *stream) parameters() (params []byte, number int, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.update, s.number, s.changed
}

// end is when the stream ended, the zero time while it runs.
func (s *stream) end() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endedAt
}

// endedBefore reports whether the stream ended before a time.
func (s *stream) endedBefore(at time.Time) bool {
	end := s.end()
	return !end.IsZero() && end.Before(at)
}

// over reports whether the stream has ended.
func (s *stream) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}
