package livevideo

import (
	"context"
	"encoding/json"
	"time"
)

// follow takes parameters from the control channel. Its keep-alives have none.
func (w *sampleWork) follow(ctx context.Context) {
	for {
		data, _, err := w.Control.Next(ctx)
		if err != nil {
			return
		}
		var sign struct {
			Keep string `json:"keep"`
		}
		if len(data) == 0 || json.Unmarshal(data, &sign) == nil && sign.Keep != "" {
			continue
		}
		w.update(data)
	}
}

// update takes new parameters, or reports why it does not.
func (w *sampleWork) update(data []byte) {
	w.mu.Lock()
	effect, err := parseParams(data, w.effect)
	if err == nil {
		w.effect, w.params, w.updated = effect, json.RawMessage(data), w.p.o.Now().UnixMilli()
	}
	w.mu.Unlock()
	if err != nil {
		w.send(map[string]any{"type": "error", "message": err.Error(), "timestamp": w.p.o.Now().UnixMilli()})
		return
	}
	w.send(w.status(0))
}

// report sends a status now and then.
func (w *sampleWork) report(ctx context.Context) {
	tick := time.NewTicker(statusInterval)
	defer tick.Stop()
	w.send(w.status(0))
	frames, since := int64(0), w.p.o.Now()
	for {
		select {
		case <-tick.C:
			n, now := w.frames.Load(), w.p.o.Now()
			w.send(w.status(float64(n-frames) / max(now.Sub(since).Seconds(), 1e-3)))
			frames, since = n, now
		case <-ctx.Done():
			return
		}
	}
}

// status is a status event in the network's form.
func (w *sampleWork) status(fps float64) map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	state := "ONLINE"
	switch {
	case w.fault != "":
		state = "DEGRADED_INPUT"
	case w.segments.Load() == 0:
		state = "LOADING"
	}
	var lastError any
	if w.fault != "" {
		lastError = w.fault
	}
	var params any
	if len(w.params) > 0 {
		params = w.params
	}
	return map[string]any{
		"type": "status", "stream_id": w.stream, "pipeline": SampleModel, "state": state,
		"timestamp":    w.p.o.Now().UnixMilli(),
		"input_status": map[string]any{"fps": fps},
		"inference_status": map[string]any{
			"fps": fps, "last_params": params, "last_params_update_time": w.updated, "last_error": lastError,
			"last_restart_logs": nil,
		},
	}
}

// send writes an event.
func (w *sampleWork) send(event map[string]any) {
	data, err := json.Marshal(map[string]any{"queue_event_type": "ai_stream_events", "event": event})
	if err == nil {
		_ = w.Events.Put(data)
	}
}
