package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

var (
	// idMark are the recording's names of ids. Read-only.
	idMark = regexp.MustCompile(`<id8-\d>`)
	// requestID is the form of a request's id. Read-only.
	requestID = regexp.MustCompile(`^[0-9a-f]{8}$`)
	// anyID is the address of the status of a stream whose id is the gateway's choice. Read-only.
	anyID = regexp.MustCompile(`^https://gw\.test/live/video-to-video/[^/]+/status$`)
)

// decide answers as the operator's service of the recording did.
func decide(w http.ResponseWriter, stream string) {
	if stream == "denied" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	fmt.Fprint(w, `{"pipeline":"noop","stream_id":"sid-stream1","pipeline_id":"pl-1",`+
		`"pipeline_parameters":{"prompt":"a cat"}}`)
}

// Every recorded request to a gateway, in the recorded order and with the recorded settings, has the recorded answer:
// refusals, a stream of a media server from its start to its end, and the requests meanwhile. So the media server is
// called as it was.
func TestRecordedGateway(t *testing.T) {
	beat, hook := livevideo.NewService(t), livevideo.NewService(t)
	m, o := livevideo.NewMediaServer(t), livevideo.New(t)
	g := newGateway(t, func(o *live.Options) {
		o.AllowCORS, o.PlaybackURL, o.Host = true, "http://localhost:8889/", "gw.test"
		o.Webhook = live.NewWebhook(hook.URL, "key1")
	}, o)
	for _, e := range recorded(t, "live_gateway.json") {
		stream := strings.Split(e.Request.Line, "/")[3]
		hook.Handle(func(w http.ResponseWriter, _ *http.Request) { decide(w, stream) })
		switch {
		case strings.HasPrefix(e.What, "start refused by"), strings.HasPrefix(e.What, "start (called"):
			replayFrom(t, g, m, &e)
			if strings.HasPrefix(e.What, "start (called") {
				g.running(t, o)
			} else {
				until(t, "kick", func() bool { return m.Called("POST") })
			}
			continue
		case strings.HasPrefix(e.What, "status after"):
			terminate(t, g, beat)
		case strings.HasPrefix(e.What, "whep: more than"):
			for range 4 { // besides the one that was replayed
				livevideo.Watch(t, g.url+"stream1-out/whep")
			}
		}
		replay(t, g, &e)
	}
	want := apiCalls(t)
	until(t, "the calls of the media server", func() bool { return len(slices.Compact(m.Calls())) == len(want) })
	if got := slices.Compact(m.Calls()); !slices.Equal(got, want) {
		t.Errorf("the media server was called %q, not %q", got, want)
	}
	if start := o.Starts()[0]; start["model_id"] != "noop" || start["stream_id"] != "sid-stream1" {
		t.Error(start)
	}
}

// replayFrom is replay by a media server, to which the gateway comes back.
func replayFrom(t *testing.T, g *gateway, m *livevideo.MediaServer, e *recording) {
	t.Helper()
	form, err := url.ParseQuery(strings.ReplaceAll(textOf(e.Request.Body), "mediamtx.test", m.IP))
	if err != nil {
		t.Fatal(err)
	}
	res, body := m.Call(g.at(strings.Fields(e.Request.Line)[1]), form)
	check(t, e, res, body)
}

// running waits until the stream has output and the recorded status.
func (g *gateway) running(t *testing.T, o *livevideo.Orchestrator) {
	t.Helper()
	v := livevideo.Watch(t, g.url+"stream1-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 5 })
	v.Close()
	until(t, "status", func() bool {
		_ = o.Hub.Channel("m0-events").Put([]byte(`{"type":"status","state":"ONLINE","timestamp":1,` +
			`"inference_status":{"fps":10,"last_params":null,"last_restart_logs":null},"input_status":{"fps":10}}`))
		_, text := livevideo.Do(t, "GET", g.url+"sid-stream1/status", "", "")
		return strings.Contains(text, "ONLINE")
	})
}

// apiCalls are the recorded calls of the media server.
func apiCalls(t *testing.T) (out []string) {
	t.Helper()
	for _, c := range recordedCalls(t, "calls to the media server") {
		out = append(out, fmt.Sprint(c["method"], " ", c["path"], " ", c["Authorization"]))
	}
	return out
}

// terminate ends the stream as the heartbeat's service does.
func terminate(t *testing.T, g *gateway, beat *livevideo.Service) {
	t.Helper()
	beat.Answer(http.StatusOK, `{"terminatedStreamIds":["sid-stream1"]}`)
	runHeartbeat(t, g, beat, 10*time.Millisecond)
	until(t, "end", func() bool { return g.Streams() == 0 })
}

// Each recorded call of the operator's service is one of ours for the same publisher: the same fields and headers. The
// recorded addresses have a slash too many, and none of a stream that the publisher did not name.
func TestRecordedWebhookCalls(t *testing.T) {
	hook, m := livevideo.NewService(t), livevideo.NewMediaServer(t)
	hook.Answer(http.StatusForbidden, "")
	g := newGateway(t, func(o *live.Options) {
		o.Webhook, o.Host, o.PlaybackURL = live.NewWebhook(hook.URL, "key1"), "gw.test", "http://localhost:8889/"
	})
	for i, call := range recordedCalls(t, "auth webhook calls") {
		want, _ := call["body"].(map[string]any)
		stream, _ := want["stream"].(string)
		query, _ := want["query_params"].(string)
		if want["type"] == "rtmp" {
			m.Start(g.url+stream+"/start", query)
		} else {
			livevideo.Do(t, "POST", g.url+stream+"/whip", "application/sdp", offer)
		}
		bodies, headers := hook.Got()
		if len(bodies) != i+1 {
			t.Fatalf("%s: %d calls", stream, len(bodies))
		}
		if len(bodies[i]) != len(want) {
			t.Errorf("%s: %v, not %v", stream, bodies[i], want)
		}
		for k, v := range want {
			got, _ := bodies[i][k].(string)
			if got = steady(got); got != expectedField(k, v) &&
				(k != "status_url" || !anyID.MatchString(got) || !strings.HasSuffix(v.(string), "///status")) {
				t.Errorf("%s: %s: %q, not %q", stream, k, got, v)
			}
		}
		checkHeaders(t, call, headers[i])
	}
}

// expectedField is a recorded field with the addresses as they should be.
func expectedField(k string, v any) string {
	text, _ := v.(string)
	if strings.HasSuffix(k, "_url") {
		text = idMark.ReplaceAllString(strings.ReplaceAll(text, "//"+strings.TrimSuffix(k, "_url"),
			"/"+strings.TrimSuffix(k, "_url")), "<8 hex>")
	}
	return text
}

// checkHeaders compares all headers of a recorded call but those of the client and the length of what varies.
func checkHeaders(t *testing.T, call map[string]any, got http.Header) {
	t.Helper()
	want, _ := call["headers"].(map[string]any)
	for k, v := range want {
		if k != "Host" && k != "User-Agent" && k != "Content-Length" && got.Get(k) != v {
			t.Errorf("%s: %q, not %q", k, got.Get(k), v)
		}
	}
	for k := range got {
		if _, there := want[k]; !there {
			t.Errorf("%s: %q is not recorded", k, got.Get(k))
		}
	}
}

// Heartbeats are the recorded ones, before a stream and with one.
func TestRecordedHeartbeats(t *testing.T) {
	beat, m := livevideo.NewService(t), livevideo.NewMediaServer(t)
	g := newGateway(t, nil, livevideo.New(t))
	runHeartbeat(t, g, beat, 10*time.Millisecond)
	asText := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	for i, call := range recordedCalls(t, "heartbeat calls") {
		if i == 1 {
			m.Start(g.url+"stream1/start", "pipeline=noop&streamId=sid-stream1")
		}
		var header http.Header
		until(t, "the heartbeat", func() bool {
			got, headers := beat.Got()
			for n, b := range got {
				if asText(b) == asText(call["body"]) {
					header = headers[n]
				}
			}
			return header != nil
		})
		checkHeaders(t, call, header)
		want, _ := call["headers"].(map[string]any)
		if header.Get("Content-Length") != want["Content-Length"] {
			t.Errorf("%s bytes, not %v", header.Get("Content-Length"), want["Content-Length"])
		}
	}
}
