package live

import (
	"encoding/json"
	"maps"
)

// event takes an event of an orchestrator: the status is kept for applications.
func (s *stream) event(o Orchestrator, data []byte) {
	var e map[string]any
	if values(data) > maxValues {
		return
	}
	if json.Unmarshal(data, &e) != nil || e == nil {
		return
	}
	kind := ""
	if inner, ok := e["event"].(map[string]any); ok && e["queue_event_type"] != nil {
		kind, _ = e["queue_event_type"].(string)
		e = inner
	}
	s.identify(e, o)
	if e["type"] == "status" && e["inference_status"] != nil {
		s.keepStatus(e)
	}
	s.forward(kind, e)
}

// maxValues bounds the values in an event, each of which takes a hundred bytes however short it is.
const maxValues = 16 << 10

// values is how many values a JSON text has, or a little more.
func values(text []byte) (n int) {
	quoted, escaped := false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case !quoted && (b == ',' || b == '[' || b == '{'):
			n++
		}
	}
	return n
}

// keepStatus keeps an event for applications. It is not changed from then on.
func (s *stream) keepStatus(e map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inference, ok := e["inference_status"].(map[string]any); ok {
		fill(inference, "last_params", &s.last.params)
		fill(inference, "last_restart_logs", &s.last.logs)
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
	if s.failure.err != nil {
		own["error"] = map[string]any{"error_message": s.failure.err.Error(), "error_time": s.failure.at.UnixMilli()}
	}
	if stats := s.ingested.known(); stats != nil {
		own["ingest_metrics"] = map[string]any{"stats": stats}
	}
	out["gateway_status"] = own
	return json.Marshal(out)
}
