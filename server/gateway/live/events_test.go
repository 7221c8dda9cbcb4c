package live_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// sink takes events.
type sink struct {
	mu  sync.Mutex
	got []event
}

type event struct {
	kind telemetry.EventKind
	data map[string]any
	size int
}

func (s *sink) Send(kind telemetry.EventKind, data any) {
	text, _ := json.Marshal(data)
	e := event{kind: kind, size: len(text)}
	_ = json.Unmarshal(text, &e.data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, e)
}

// of are the events of a kind and a type, "" for any.
func (s *sink) of(kind telemetry.EventKind, step string) (out []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.got {
		if e.kind == kind && (step == "" || e.data["type"] == step) {
			out = append(out, e.data)
		}
	}
	return out
}

// steps are the types of all traces, in order.
func (s *sink) steps() (out []string) {
	for _, e := range s.of(telemetry.StreamTrace, "") {
		out = append(out, e["type"].(string))
	}
	return out
}

// The life of a stream is reported: its steps in order, with the orchestrator where there is one, parameters, what
// the runner says, the quality of the publisher's connection, and the change of the orchestrator.
func TestEventsOfAStream(t *testing.T) {
	first, second := livevideo.New(t), livevideo.New(t)
	s := &sink{}
	g := newGateway(t, func(o *live.Options) { o.Events, o.Limits.Measure = s, 50*time.Millisecond }, first, second)
	p := livevideo.Publish(t, g.url+"cam/whip?pipeline=noop&streamId=s1")
	until(t, "a stream that works", func() bool { return slices.Contains(s.steps(), telemetry.ReceivedFew) })
	want := []string{telemetry.ReceivedStream, telemetry.SentFirst, telemetry.ReceivedFirst, telemetry.ReceivedFew}
	if got := s.steps(); !slices.Equal(got, want) {
		t.Errorf("steps: %q", got)
	}
	at := func(e map[string]any) string { return e["orchestrator_info"].(map[string]any)["url"].(string) }
	for _, e := range s.of(telemetry.StreamTrace, "") {
		if e["stream_id"] != "s1" || e["request_id"] == "" || e["timestamp"].(float64) < 1e12 {
			t.Errorf("%v", e)
		}
		if want := map[bool]string{true: "", false: first.URI()}[e["type"] == telemetry.ReceivedStream]; at(e) != want {
			t.Errorf("%v names the orchestrator %q, not %q", e["type"], at(e), want)
		}
	}
	livevideo.Do(t, "POST", g.url+"cam/update", "", `{"prompt":"b"}`)
	until(t, "parameters", func() bool { return len(s.of(telemetry.StreamEvents, "params_update")) == 1 })
	update := s.of(telemetry.StreamEvents, "params_update")[0]
	if update["params"].(map[string]any)["prompt"] != "b" || at(update) != first.URI() {
		t.Errorf("%v", update)
	}
	_ = first.Hub.Channel("m0-events").Put([]byte(`{"type":"status","stream_id":"forged","inference_status":{"fps":10}}`))
	until(t, "status", func() bool { return len(s.of(telemetry.StreamStatus, "status")) == 1 })
	if e := s.of(telemetry.StreamStatus, "status")[0]; e["stream_id"] != "s1" || at(e) != first.URI() {
		t.Errorf("%v", e)
	}
	until(t, "quality", func() bool { return len(s.of(telemetry.IngestMetrics, "")) > 0 })
	q := s.of(telemetry.IngestMetrics, "")
	stats := q[len(q)-1]["stats"].(map[string]any)
	track := stats["track_stats"].([]any)[0].(map[string]any)
	if stats["conn_quality"] != "good" || track["type"] == "" || track["packets_received"].(float64) == 0 ||
		track["packets_lost"].(float64) != 0 || stats["peer_conn_stats"].(map[string]any)["BytesReceived"].(float64) == 0 {
		t.Errorf("%v", stats)
	}
	until(t, "quality in the status", func() bool {
		_, text := livevideo.Do(t, "GET", g.url+"s1/status", "", "")
		return strings.Contains(text, `"ingest_metrics":{"stats":{"peer_conn_stats"`)
	})
	g.network.mu.Lock()
	g.network.list = []live.Orchestrator{second}
	g.network.mu.Unlock()
	first.Kill()
	until(t, "change", func() bool { return len(s.of(telemetry.StreamTrace, telemetry.ReceivedFew)) == 2 })
	swap := s.of(telemetry.StreamTrace, telemetry.OrchestratorSwap)
	if len(swap) != 1 || at(swap[0]) != first.URI() || swap[0]["message"] == "" ||
		len(s.of(telemetry.StreamEvents, "error")) != 1 {
		t.Errorf("%v", swap)
	}
	p.Close()
	until(t, "end", func() bool { return slices.Contains(s.steps(), telemetry.ClosedStream) })
	if n := len(s.of(telemetry.StreamEvents, "error")); n != 1 {
		t.Errorf("%d errors: the regular end is none", n)
	}
}

func TestEventsWithoutAnOrchestrator(t *testing.T) {
	s := &sink{}
	g := newGateway(t, func(o *live.Options) { o.Events = s })
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	until(t, "end", func() bool { return slices.Contains(s.steps(), telemetry.ClosedStream) })
	want := []string{telemetry.ReceivedStream, telemetry.NoOrchestrator, telemetry.ClosedStream}
	if got := s.steps(); !slices.Equal(got, want) || len(s.of(telemetry.StreamEvents, "error")) != 1 {
		t.Errorf("steps: %q", got)
	}
}

// A runner cannot report in the gateway's name, and not more than a stream's share.
func TestEventsOfARunnerAreBounded(t *testing.T) {
	o := livevideo.New(t)
	s := &sink{}
	g := newGateway(t, func(o *live.Options) { o.Events = s }, o)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop&streamId=s1")
	until(t, "stream", func() bool { return slices.Contains(s.steps(), telemetry.ReceivedFirst) })
	put := func(kind, text string) {
		e := fmt.Sprintf(`{"queue_event_type":%q,"event":{"type":"x","text":%q}}`, kind, text)
		_ = o.Hub.Channel("m0-events").Put([]byte(e))
	}
	put("create_signed_ticket", "")
	put("discovery_results", "")
	put("large", strings.Repeat("<", 40<<10))
	until(t, "event", func() bool { put("mine", ""); return len(s.of("mine", "")) > 0 })
	if e := s.of("mine", "")[0]; e["stream_id"] != "s1" {
		t.Errorf("%v", e)
	}
	for _, kind := range []telemetry.EventKind{telemetry.SignedTicket, telemetry.DiscoveryResults, "large"} {
		if n := len(s.of(kind, "")); n != 0 {
			t.Errorf("%d events of the kind %s", n, kind)
		}
	}
	for i := range 60 {
		put(fmt.Sprint("flood", i), strings.Repeat("x", 20<<10))
		status := fmt.Sprintf(`"inference_status":{"n":%d}`, i)
		until(t, "reading", func() bool {
			// A reader that lags misses some.
			_ = o.Hub.Channel("m0-events").Put([]byte(`{"type":"status",` + status + `}`))
			_, text := livevideo.Do(t, "GET", g.url+"s1/status", "", "")
			return strings.Contains(text, fmt.Sprintf(`"n":%d`, i))
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, e := range s.got {
		if strings.HasPrefix(string(e.kind), "flood") {
			total += e.size
		}
	}
	if total == 0 || total > 600<<10 {
		t.Errorf("%d bytes of 1.2 MB were passed on", total)
	}
}
