package live_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// While a stream of a media server runs, and after its end, the answers are those of the network's gateways.
func TestRecordedStream(t *testing.T) {
	beat := livevideo.NewService(t)
	m, o := livevideo.NewMediaServer(t), livevideo.New(t)
	hook := livevideo.NewService(t)
	hook.Answer(http.StatusOK, `{"stream_id":"sid-stream1","pipeline_id":"pl-1"}`)
	g := newGateway(t, func(o *live.Options) {
		o.AllowCORS, o.PlaybackURL = true, "http://localhost:8889/"
		o.Webhook = live.NewWebhook(hook.URL, "")
	}, o)
	started := false
	for _, e := range recorded(t, "live_gateway.json") {
		switch {
		case strings.HasPrefix(e.What, "start (called"):
			if res, text := m.Start(g.url+"stream1/start", "pipeline=noop"); res.StatusCode != http.StatusOK || text != "" {
				t.Fatal(res.Status, text)
			}
			started = true
			v := livevideo.Watch(t, g.url+"stream1-out/whep")
			until(t, "pictures", func() bool { return v.Count() > 5 })
			v.Close()
			until(t, "status", func() bool {
				_ = o.Hub.Channel("m0-events").Put([]byte(`{"type":"status","state":"ONLINE","timestamp":1,` +
					`"inference_status":{"fps":10,"last_params":null,"last_restart_logs":null},"input_status":{"fps":10}}`))
				_, text := livevideo.Do(t, "GET", g.url+"sid-stream1/status", "", "")
				return strings.Contains(text, "ONLINE")
			})
		case !started:
		case strings.HasPrefix(e.What, "status after"):
			terminate(t, g, beat)
			sameStatus(t, g, &e)
		case strings.HasPrefix(e.What, "status"):
			sameStatus(t, g, &e)
		case strings.HasPrefix(e.What, "whep: more than"):
			for range 4 { // beside the one that was replayed
				livevideo.Watch(t, g.url+"stream1-out/whep")
			}
			replay(t, g, &e)
		default:
			replay(t, g, &e)
		}
	}
}

// terminate ends the stream as the heartbeat's service does.
func terminate(t *testing.T, g *gateway, beat *livevideo.Service) {
	t.Helper()
	beat.Answer(http.StatusOK, `{"terminatedStreamIds":["sid-stream1"]}`)
	runHeartbeat(t, g, beat, 10*time.Millisecond)
	until(t, "end", func() bool { return g.Streams() == 0 })
}

// sameStatus compares a status with a recorded one.
func sameStatus(t *testing.T, g *gateway, e *recording) {
	t.Helper()
	_, text := livevideo.Do(t, "GET", g.url+"sid-stream1/status", "", "")
	var got, want map[string]any
	if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal(e.Response.Body, &want) != nil {
		t.Fatal(text)
	}
	compare(t, e.What, got, want)
	if len(got) != len(want) {
		t.Errorf("%s: %v, not %v", e.What, got, want)
	}
}

// compare compares what does not vary from run to run.
func compare(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	for k, w := range want {
		if fields, ok := w.(map[string]any); ok {
			g, _ := got[k].(map[string]any)
			compare(t, what+": "+k, g, fields)
			continue
		}
		text, _ := w.(string)
		_, there := got[k]
		varies := k == "url" || k == "request_id" || k == "timestamp" || k == "error_time" || strings.Contains(text, "<")
		if !there || !varies && got[k] != w {
			t.Errorf("%s: %s: %v, not %v", what, k, got[k], w)
		}
	}
}
