package telemetry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/telemetry"
)

func TestForward(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 65)
	for _, tt := range []struct {
		kind, step string
		want       telemetry.EventKind
		refused    bool
	}{
		{kind: "create_signed_ticket", refused: true},
		{kind: "create_new_payment", refused: true},
		{kind: "discovery_results", refused: true},
		{kind: "stream_ingest_metrics", refused: true},
		{kind: "network_capabilities", refused: true},
		{kind: "job_payment", refused: true},
		{kind: "stream_trace", step: "gateway_ingest_stream_closed", refused: true},
		{kind: "stream_trace", step: "orchestrator_swap", refused: true},
		{kind: "create_signed_ticket", step: "status", refused: true},
		{kind: long, refused: true},
		{kind: "Upper", refused: true},
		{kind: "_x", refused: true},
		{kind: "7x", refused: true},
		{kind: "a b", refused: true},
		{kind: "stream_trace", step: "runner_send_first_processed_segment", want: telemetry.StreamTrace},
		{kind: "", step: "status", want: telemetry.StreamStatus},
		{kind: "ai_stream_events", step: "status", want: telemetry.StreamStatus},
		{kind: "", step: "error", want: telemetry.StreamEvents},
		{kind: "ai_stream_events", step: "error", want: telemetry.StreamEvents},
		{kind: "my_events2", want: "my_events2"},
	} {
		event := map[string]any{}
		if tt.step != "" {
			event["type"] = tt.step
		}
		got, ok := telemetry.Forward(tt.kind, event)
		if ok == tt.refused || ok && got != tt.want {
			t.Errorf("Forward(%q, %q) = %q, %v", tt.kind, tt.step, got, ok)
		}
	}
}

// A runner chooses every byte: what is passed on is never one of the gateway's own events.
func FuzzForward(f *testing.F) {
	for _, seed := range []string{`{"type":"status"}`, `{"type":"gateway_x"}`, `{"type":7}`, `null`} {
		f.Add("stream_trace", seed)
		f.Add("", seed)
	}
	f.Fuzz(func(t *testing.T, kind, data string) {
		var event map[string]any
		if json.Unmarshal([]byte(data), &event) != nil {
			return
		}
		got, ok := telemetry.Forward(kind, event)
		if !ok {
			return
		}
		step, _ := event["type"].(string)
		switch {
		case got == telemetry.SignedTicket, got == telemetry.DiscoveryResults, got == telemetry.IngestMetrics,
			len(got) == 0, len(got) > 64, strings.HasPrefix(string(got), "create_"),
			got == telemetry.StreamTrace && strings.HasPrefix(step, "gateway_"):
			t.Errorf("Forward(%q, %s) = %q", kind, data, got)
		}
	})
}
