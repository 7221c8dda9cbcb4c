package live

import (
	"encoding/json"
	"maps"
)

// event takes an event of an orchestrator: the status is kept for applications.
func (s *stream) event(o Orchestrator, data []byte) {
	var e map[string]any
	if json.Unmarshal(data, &e) != nil {
		return
	}
	if inner, ok := e["event"].(map[string]any); ok && e["queue_event_type"] != nil {
		e = inner
	}
	if e["type"] != "status" || e["inference_status"] == nil {
		return
	}
	e["stream_id"], e["request_id"], e["pipeline_id"] = s.id, s.request, s.pipelineID
	e["orchestrator_info"] = map[string]any{"address": o.Account(), "url": o.URI()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if inference, ok := e["inference_status"].(map[string]any); ok {
		fill(inference, "last_params", &s.lastParams)
		fill(inference, "last_restart_logs", &s.lastLogs)
	}
	s.status = e
}

// fill puts the last known value where an event has none.
func fill(event map[string]any, name string, known *any) {
	if event[name] != nil {
		*known = event[name]
	}
	event[name] = *known
}

// describe is the JSON of a stream's status.
func (s *stream) describe() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(s.status)
	if out == nil {
		out = make(map[string]any)
	}
	own := map[string]any{"whep_url": s.playURL}
	if s.failure != nil {
		own["error"] = map[string]any{"error_message": s.failure.Error(), "error_time": s.failedAt.UnixMilli()}
	}
	out["gateway_status"] = own
	return json.Marshal(out)
}
