package live

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/eventstream"
)

const (
	// maxReport bounds an event for the operator's event stream.
	maxReport = 128 << 10
	// A runner and a publisher cause events at will: a stream's share are reportRate bytes a second and reportBurst at
	// once, an event counting reportCost more than its length.
	reportRate  = 32 << 10
	reportBurst = 256 << 10
	reportCost  = 1 << 10
	// maxURI bounds an orchestrator's address in an event.
	maxURI = 256
	// few is how many segments of output say that a stream works.
	few = 3
)

// reporter sends a stream's events. The zero value is ready; safe for concurrent use.
type reporter struct {
	mu sync.Mutex
	// at is the orchestrator that has the stream, or had it last; nil before the first. Guarded by mu.
	at Orchestrator
	// spent are bytes of the share that were used, at the time used. Guarded by mu.
	spent float64
	used  time.Time
	// dropped counts what was beyond the share. Guarded by mu.
	dropped int
	// failure is the error that was reported last. Guarded by mu.
	failure string
}

// fails records an error, and reports whether it is another one than the last: what ends a stream is recorded twice.
func (r *reporter) fails(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.failure == text
	r.failure = text
	return !again
}

// use sets the orchestrator of the stream.
func (r *reporter) use(o Orchestrator) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = o
}

// orchestrator is the one that has the stream.
func (r *reporter) orchestrator() Orchestrator {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// may takes an event's length from the share, and reports whether there was enough.
func (r *reporter) may(length int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.used.IsZero() {
		r.spent = max(0, r.spent-now.Sub(r.used).Seconds()*reportRate)
	}
	r.used = now
	if cost := float64(length + reportCost); length <= maxReport && r.spent+cost <= reportBurst {
		r.spent += cost
		return true
	}
	r.dropped++
	return false
}

// orchestratorNamed is how events name an orchestrator, nil for none.
func orchestratorNamed(o Orchestrator) eventstream.Orchestrator {
	if o == nil {
		return eventstream.Orchestrator{}
	}
	uri := o.URI()
	return eventstream.Orchestrator{Account: o.Account(), URL: uri[:min(len(uri), maxURI)]}
}

// identify puts what identifies the stream into an event, over what it says itself.
func (s *stream) identify(e map[string]any, o Orchestrator) {
	e["stream_id"], e["request_id"], e["pipeline_id"] = s.id, s.request, s.pipelineID
	e["orchestrator_info"] = orchestratorNamed(o)
}

// trace reports a step of the stream; o is nil where no orchestrator has part in it.
func (s *stream) trace(step string, o Orchestrator) {
	e := map[string]any{"type": step, "timestamp": s.srv.o.Now().UnixMilli()}
	s.identify(e, o)
	s.send(eventstream.StreamTrace, e)
}

// swapped reports that the stream leaves an orchestrator for another one.
func (s *stream) swapped(err error) {
	e := map[string]any{"type": eventstream.OrchestratorSwap, "timestamp": s.srv.o.Now().UnixMilli(),
		"pipeline": s.model, "message": err.Error()}
	s.identify(e, s.reports.orchestrator())
	s.send(eventstream.StreamTrace, e)
}

// failed reports an error of the stream. Its regular ends are none.
func (s *stream) failed(err error) {
	if err == nil || errors.Is(err, errPublisherGone) || errors.Is(err, errReplaced) || errors.Is(err, errStopping) ||
		!s.reports.fails(err.Error()) {
		return
	}
	e := map[string]any{"type": "error", "timestamp": s.srv.o.Now().UnixMilli(), "pipeline": s.model,
		"capability": "live-video-to-video", "message": err.Error()}
	s.identify(e, s.reports.orchestrator())
	s.send(eventstream.StreamEvents, e)
}

// updated reports that an orchestrator was sent parameters.
func (s *stream) updated(o Orchestrator, params []byte) {
	if s.srv.o.Events == nil || !json.Valid(params) {
		return
	}
	e := map[string]any{"type": "params_update", "timestamp": s.srv.o.Now().UnixMilli(), "pipeline": s.model,
		"params": json.RawMessage(params)}
	s.identify(e, o)
	s.send(eventstream.StreamEvents, e)
}

// forward passes an event of a runner on. kind is the one that it chose, "" for none.
func (s *stream) forward(kind string, e map[string]any) {
	if s.srv.o.Events == nil {
		return
	}
	if as, ok := eventstream.Forward(kind, e); ok {
		s.send(as, e)
	}
}

// send sends an event within the stream's share.
func (s *stream) send(kind eventstream.Kind, e map[string]any) {
	if s.srv.o.Events == nil {
		return
	}
	data, err := json.Marshal(e)
	if err != nil || !s.reports.may(len(data), s.srv.o.Now()) {
		return
	}
	s.srv.o.Events.Send(kind, json.RawMessage(data))
}

// endReports logs what was beyond the stream's share.
func (s *stream) endReports() {
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	if s.reports.dropped > 0 {
		s.srv.o.Log.Info("events of a live stream were not passed on: there were too many", "stream", s.id,
			"events", s.reports.dropped)
	}
}

// steps are those of a stream at one orchestrator that are reported once. One goroutine writes, another one reads.
type steps struct {
	sent     sync.Once
	received int
}

// sentOne reports the first segment of the input.
func (j *job) sentOne() {
	j.steps.sent.Do(func() { j.s.trace(eventstream.SentFirst, j.o) })
}

// receivedOne reports the first and the third segment of the output. The goroutine that reads the output calls it.
func (j *job) receivedOne() {
	switch j.steps.received++; j.steps.received {
	case 1:
		j.s.trace(eventstream.ReceivedFirst, j.o)
	case few:
		j.s.trace(eventstream.ReceivedFew, j.o)
	}
}
