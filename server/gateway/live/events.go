package live

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	// maxReport bounds an event for the operator's event stream, in bytes.
	maxReport = 128 << 10
	// Runners and publishers cause events, so each stream has a rate limit: reportRate bytes a second, reportBurst at
	// once. An event costs its length and reportCost.
	reportRate  = 32 << 10
	reportBurst = 256 << 10
	reportCost  = 1 << 10
	// maxURI bounds an orchestrator's address in an event.
	maxURI = 256
	// fewSegments is the number of output segments after which ReceivedFew is reported.
	fewSegments = 3
)

// reporter limits and remembers a stream's events. The zero value is ready. It is safe for concurrent use.
type reporter struct {
	mu sync.Mutex
	// current is the orchestrator that has the stream, or had it last; nil before the first. Guarded by mu.
	current Orchestrator
	// spent is the used part of reportBurst in bytes, as of spentAt. Guarded by mu.
	spent   float64
	spentAt time.Time
	// dropped counts the events above the limit. Guarded by mu.
	dropped int
	// failure is the error that was reported last. Guarded by mu.
	failure string
}

// newFailure records an error, and reports whether it differs from the last one: the error that ends a stream arrives
// twice.
func (r *reporter) newFailure(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.failure == text
	r.failure = text
	return !again
}

// setOrchestrator sets the orchestrator that has the stream.
func (r *reporter) setOrchestrator(o Orchestrator) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = o
}

// orchestrator returns the orchestrator that has the stream, or had it last.
func (r *reporter) orchestrator() Orchestrator {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// allow charges an event of a length to the limit, and reports whether it may be sent.
func (r *reporter) allow(length int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.spentAt.IsZero() {
		r.spent = max(0, r.spent-now.Sub(r.spentAt).Seconds()*reportRate)
	}
	r.spentAt = now
	if cost := float64(length + reportCost); length <= maxReport && r.spent+cost <= reportBurst {
		r.spent += cost
		return true
	}
	r.dropped++
	return false
}

// eventOrchestrator returns an orchestrator as events have it; empty fields for nil.
func eventOrchestrator(o Orchestrator) telemetry.EventOrchestrator {
	if o == nil {
		return telemetry.EventOrchestrator{}
	}
	uri := o.URI()
	return telemetry.EventOrchestrator{Account: o.Account(), URL: uri[:min(len(uri), maxURI)]}
}

// identify sets the fields that identify the stream. It overwrites those that a runner has set.
func (s *stream) identify(e map[string]any, o Orchestrator) {
	e["stream_id"], e["request_id"], e["pipeline_id"] = s.id, s.request, s.pipelineID
	e["orchestrator_info"] = eventOrchestrator(o)
}

// trace reports a step of the stream; o is nil for a step without an orchestrator.
func (s *stream) trace(step string, o Orchestrator) {
	e := map[string]any{"type": step, "timestamp": s.srv.o.Now().UnixMilli()}
	s.identify(e, o)
	s.send(telemetry.StreamTrace, e)
}

// swapped reports that the stream moves to another orchestrator, and why.
func (s *stream) swapped(err error) {
	e := map[string]any{"type": telemetry.OrchestratorSwap, "timestamp": s.srv.o.Now().UnixMilli(),
		"pipeline": s.model, "message": err.Error()}
	s.identify(e, s.reports.orchestrator())
	s.send(telemetry.StreamTrace, e)
}

// failed reports an error of the stream. The errors of a regular end are not reported.
func (s *stream) failed(err error) {
	if err == nil || errors.Is(err, errPublisherGone) || errors.Is(err, errReplaced) || errors.Is(err, errStopping) ||
		!s.reports.newFailure(err.Error()) {
		return
	}
	e := map[string]any{"type": "error", "timestamp": s.srv.o.Now().UnixMilli(), "pipeline": s.model,
		"capability": "live-video-to-video", "message": err.Error()}
	s.identify(e, s.reports.orchestrator())
	s.send(telemetry.StreamEvents, e)
}

// updated reports that parameters were sent to an orchestrator.
func (s *stream) updated(o Orchestrator, params []byte) {
	if s.srv.o.Events == nil || !json.Valid(params) {
		return
	}
	e := map[string]any{"type": "params_update", "timestamp": s.srv.o.Now().UnixMilli(), "pipeline": s.model,
		"params": json.RawMessage(params)}
	s.identify(e, o)
	s.send(telemetry.StreamEvents, e)
}

// forward passes on an event of a runner. kind is the one that the runner chose, "" for none.
func (s *stream) forward(kind string, e map[string]any) {
	if s.srv.o.Events == nil {
		return
	}
	if as, ok := telemetry.Forward(kind, e); ok {
		s.send(as, e)
	}
}

// send sends an event, unless the stream is above its rate limit.
func (s *stream) send(kind telemetry.EventKind, e map[string]any) {
	if s.srv.o.Events == nil {
		return
	}
	data, err := json.Marshal(e)
	if err != nil || !s.reports.allow(len(data), s.srv.o.Now()) {
		return
	}
	s.srv.o.Events.Send(kind, json.RawMessage(data))
}

// endReports logs the number of events that were dropped.
func (s *stream) endReports() {
	s.reports.mu.Lock()
	defer s.reports.mu.Unlock()
	if s.reports.dropped > 0 {
		s.srv.o.Log.Info("events of a live stream were dropped: they were above the stream's rate limit", "stream", s.id,
			"events", s.reports.dropped)
	}
}

// steps are the steps of a job that are reported once. The goroutine that sends input uses sent, the one that reads
// output received.
type steps struct {
	sent     sync.Once
	received int
}

// sentOne reports the first segment of the input.
func (j *job) sentOne() {
	j.steps.sent.Do(func() { j.s.trace(telemetry.SentFirst, j.o) })
}

// receivedOne reports the first and the third segment of the output. The goroutine that reads the output calls it.
func (j *job) receivedOne() {
	switch j.steps.received++; j.steps.received {
	case 1:
		j.s.trace(telemetry.ReceivedFirst, j.o)
	case fewSegments:
		j.s.trace(telemetry.ReceivedFew, j.o)
	}
}
