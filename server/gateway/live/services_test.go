package live_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// recordedCalls are the calls of a service in a recording.
func recordedCalls(t *testing.T, what string) (out []map[string]any) {
	t.Helper()
	for _, raw := range entriesOf(t, "live_gateway.json") {
		var e struct {
			What  string           `json:"what"`
			Calls []map[string]any `json:"calls"`
		}
		if json.Unmarshal(raw, &e) == nil && strings.HasPrefix(e.What, what) {
			out = e.Calls
		}
	}
	if len(out) == 0 {
		t.Fatal("no calls of", what)
	}
	return out
}

// runHeartbeat notifies a service until the end of the test.
func runHeartbeat(t *testing.T, g *gateway, beat *livevideo.Service, every time.Duration) *health.Board {
	t.Helper()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	h := g.NewHeartbeat(live.HeartbeatOptions{URL: beat.URL, Header: http.Header{"X-A": {"b"}}, Interval: every,
		Board: board})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx, func() {}) }()
	t.Cleanup(func() { stop(); <-done })
	return board
}

// The webhook gets what the network's gateways send, and its answer counts before the query; only its addresses are
// right where theirs have a slash too many. Heartbeats name the stream and end it.
func TestRecordedServices(t *testing.T) {
	hook, beat := livevideo.NewService(t), livevideo.NewService(t)
	hook.Answer(http.StatusOK, `{"pipeline":"noop","stream_id":"sid-stream1","pipeline_id":"pl-1",`+
		`"pipeline_parameters":{"prompt":"a cat"}}`)
	m, o := livevideo.NewMediaServer(t), livevideo.New(t)
	g := newGateway(t, func(o *live.Options) {
		o.Webhook, o.Host, o.PlaybackURL = live.NewWebhook(hook.URL, "key1"), "gw.test", "http://localhost:8889/"
	}, o)
	board := runHeartbeat(t, g, beat, 10*time.Millisecond)
	if res, text := m.Start(g.url+"stream1/start", "pipeline=ignored&streamId=mine"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	got, header := hook.Got()
	want := recordedCalls(t, "auth webhook calls")[3]
	for k, v := range want["body"].(map[string]any) {
		fixed := steady(strings.ReplaceAll(strings.ReplaceAll(v.(string), "//status", "/status"), "//update", "/update"))
		fixed = strings.NewReplacer("<id8-1>", "<8 hex>").Replace(fixed)
		if len(got) != 1 || steady(got[0][k].(string)) != fixed {
			t.Errorf("%s: %v, not %v", k, got[0][k], fixed)
		}
	}
	if header[0].Get("Authorization") != "key1" || header[0].Get("X-Api-Key") != "key1" {
		t.Error(header[0])
	}
	start := o.Starts()[0]
	if start["model_id"] != "noop" || start["stream_id"] != "sid-stream1" ||
		start["params"].(map[string]any)["prompt"] != "a cat" {
		t.Error(start)
	}

	beats := recordedCalls(t, "heartbeat calls")
	asText := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	until(t, "a heartbeat with the stream", func() bool {
		got, header := beat.Got()
		last := len(got) - 1
		return last >= 0 && asText(got[0]) == asText(beats[0]["body"]) && asText(got[last]) == asText(beats[1]["body"]) &&
			header[last].Get("X-A") == "b"
	})
	beat.Answer(http.StatusOK, `{"terminatedStreamIds":["other","sid-stream1"]}`)
	until(t, "end", func() bool { return g.Streams() == 0 })
	_, text := livevideo.Do(t, "GET", g.url+"sid-stream1/status", "", "")
	if !strings.Contains(text, `"error_message":"stream terminated: credit_exhaustion"`) {
		t.Error(text)
	}
	until(t, "kick", func() bool { return m.Called("POST /v3/rtmpconns/kick/conn-1 Basic YWRtaW46") })
	if len(board.Snapshot()) != 0 {
		t.Error(board.Snapshot())
	}
	beat.Answer(http.StatusOK, "fine")
	until(t, "condition", func() bool {
		all := board.Snapshot()
		return len(all) == 1 && all[0].Code == fault.LiveHeartbeatFailed
	})
	beat.Answer(http.StatusNoContent, "")
	until(t, "no condition", func() bool { return len(board.Snapshot()) == 0 })
}

// A webhook that answers with anything else than its form, without an end, or elsewhere, admits nothing.
func TestWebhooksThatLie(t *testing.T) {
	hook, o := livevideo.NewService(t), livevideo.New(t)
	g := newGateway(t, func(o *live.Options) { o.Webhook = live.NewWebhook(hook.URL, "") }, o)
	elsewhere := livevideo.NewService(t)
	for name, answer := range map[string]http.HandlerFunc{
		"text":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) },
		"empty":  func(http.ResponseWriter, *http.Request) {},
		"number": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"stream_id":1}`)) },
		"list":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"pipeline_parameters":[1]}`)) },
		"long": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"pipeline":"` + strings.Repeat("a", 1000) + `"}`))
		},
		"control": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"stream_id":"a\nb"}`)) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("{}")) // which would be an answer
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
					return
				}
			}
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) },
		"error":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"output": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"rtmp_output_url":"file:///x"}`))
		},
	} {
		hook.Handle(answer)
		if res, text := livevideo.Do(t, "POST", g.url+"cam/whip?pipeline=noop", "application/sdp", offer); res.StatusCode !=
			http.StatusServiceUnavailable && res.StatusCode != http.StatusBadGateway {
			t.Error(name, res.Status, text)
		}
	}
	hook.Answer(http.StatusUnauthorized, "")
	if res, text := livevideo.Do(t, "POST", g.url+"cam/whip", "application/sdp", offer); res.StatusCode !=
		http.StatusForbidden || text != "Forbidden\n" {
		t.Error(res.Status, text)
	}
	if got, _ := elsewhere.Got(); g.Streams() != 0 || len(o.Starts()) != 0 || len(got) != 0 {
		t.Error("a refused stream cost something:", g.Streams(), o.Starts(), got)
	}
	hook.Answer(http.StatusOK, `{"pipeline":"comfyui","pipeline_parameters":{"1":{}}}`)
	res, text := livevideo.Do(t, "POST", g.url+"cam/whip", "application/sdp", offer)
	if res.StatusCode != http.StatusCreated {
		t.Error(res.Status, text)
	}
	until(t, "start", func() bool { return len(o.Starts()) == 1 })
	params, _ := o.Starts()[0]["params"].(map[string]any)
	if _, ok := params["prompt"].(map[string]any); !ok {
		t.Error(o.Starts()[0])
	}
}
