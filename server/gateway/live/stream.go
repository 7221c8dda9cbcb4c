package live

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
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
