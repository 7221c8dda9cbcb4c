package eventstream_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/eventstream"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

func TestForward(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 65)
	for _, tt := range []struct {
		kind, step string
		want       eventstream.Kind
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
		{kind: "stream_trace", step: "runner_send_first_processed_segment", want: eventstream.StreamTrace},
		{kind: "", step: "status", want: eventstream.StreamStatus},
		{kind: "ai_stream_events", step: "status", want: eventstream.StreamStatus},
		{kind: "", step: "error", want: eventstream.StreamEvents},
		{kind: "ai_stream_events", step: "error", want: eventstream.StreamEvents},
		{kind: "my_events2", want: "my_events2"},
	} {
		event := map[string]any{}
		if tt.step != "" {
			event["type"] = tt.step
		}
		got, ok := eventstream.Forward(tt.kind, event)
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
		got, ok := eventstream.Forward(kind, event)
		if !ok {
			return
		}
		step, _ := event["type"].(string)
		switch {
		case got == eventstream.SignedTicket, got == eventstream.DiscoveryResults, got == eventstream.IngestMetrics,
			len(got) == 0, len(got) > 64, strings.HasPrefix(string(got), "create_"),
			got == eventstream.StreamTrace && strings.HasPrefix(step, "gateway_"):
			t.Errorf("Forward(%q, %s) = %q", kind, data, got)
		}
	})
}

func TestLosses(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	l := eventstream.NewLosses(board, health.Key{Code: fault.EventsLost, About: "kafka"})
	detail := func() string {
		for _, c := range board.Snapshot() {
			if c.Code == fault.EventsLost && c.About == "kafka" {
				return c.Detail
			}
		}
		return ""
	}
	l.Failed("full")
	if got := detail(); got != "full" {
		t.Fatalf("after a loss: %q", got)
	}
	l.Failed("refused") // the second reason waits for the next interval
	if got := detail(); got != "full" {
		t.Errorf("reasons that alternate: %q", got)
	}
	l.Delivered()
	l.Check()
	if detail() == "" {
		t.Error("cleared in an interval with losses")
	}
	l.Failed("refused")
	if got := detail(); got != "refused" {
		t.Errorf("the next interval: %q", got)
	}
	l.Check()
	l.Check()
	if detail() == "" {
		t.Error("cleared without a delivery")
	}
	l.Delivered()
	l.Check()
	if got := detail(); got != "" {
		t.Errorf("after a delivery: %q", got)
	}
}
