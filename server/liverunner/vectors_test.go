package liverunner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

func TestRecordedStaticRegistration(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	p := placeholders{
		values: make(map[string]string), replaced: map[string]string{"http://runner.test:9000": runner.URL},
	}
	for _, e := range recorded(t, "live_static_registration.json") {
		switch {
		case e.Request.Line == "GET /discovery HTTP/1.1":
			continue // of runners that the recording does not register; TestDiscovery
		default:
			p.replay(t, n.admin, &e)
		}
	}
}

func TestRecordedHeartbeats(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	static := n.register(t, `{"label":"s","runner_url":"http://127.0.0.1:1","health_url":"/health","app":"x"}`)
	p := placeholders{values: map[string]string{"<runner-id-2>": static[0]}}
	for _, e := range recorded(t, "live_heartbeat.json") {
		switch {
		case e.Request.Line == "":
			continue // the channel of events; TestEvents
		case strings.HasPrefix(e.What, "static runner cannot heartbeat"):
			continue // recorded for a dynamic runner
		case strings.HasPrefix(e.What, "heartbeat after 11 s"):
			n.later(11 * time.Second)
		case strings.HasPrefix(e.What, "heartbeat after 20 s"):
			n.later(liverunner.HeartbeatTTL)
			n.Sweep()
		case strings.HasPrefix(e.What, "orchSecret with the old id 6 s later"):
			n.later(6 * time.Second)
			n.Sweep()
		}
		p.replay(t, n.public, &e)
	}
}

func TestRecordedSessions(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	base := fmt.Sprintf(`"health_url":"%s/health","app":"demo/x","runner_url":"%[1]s`, runner.URL)
	ids := n.register(t, `{"label":"p1","capacity":2,`+base+`/base"},
		{"label":"dead","capacity":5,"health_url":"`+runner.URL+`/health","app":"demo/dead","runner_url":"http://127.0.0.1:1"},
		{"label":"px","proxy":true,`+base+`/px"},
		{"label":"s1","routing":"label","mode":"single-shot",`+base+`/one"},
		{"label":"sx","routing":"label","proxy":true,"capacity":3,"mode":"single-shot",`+base+`/sx"}`)
	p := placeholders{
		values: map[string]string{
			"<runner-id-1>": ids[0], "<runner-id-2>": ids[1], "<runner-id-5>": ids[2], "<session-id-3>": "session_none",
			"<proxy-id-2>": "unknown",
		},
		replaced: map[string]string{
			"http://runner.test:9000": runner.URL, "http://worker.test:9100": runner.URL,
			"runner.test:9000": strings.TrimPrefix(runner.URL, "http://"),
			"worker.test:9100": strings.TrimPrefix(runner.URL, "http://"),
		},
	}
	for _, e := range recorded(t, "live_sessions.json") {
		switch what := e.What; {
		case strings.HasPrefix(what, "SSE"), strings.HasPrefix(what, "WebSocket"), what == "502",
			strings.HasPrefix(what, "single-shot while its one slot"), strings.HasPrefix(what, "discovery"),
			strings.HasPrefix(what, "the request that held"), what == "proxy target: fragment", what == "call it",
			strings.HasPrefix(what, "other Host"):
			continue // tests of their own, where time matters or tutti differs
		case strings.Contains(string(e.Response.Body), `"headers"`):
			p.replayEcho(t, n, &e)
		default:
			p.replay(t, n.public, &e)
		}
	}
}

// replayEcho replays a request that is passed on. What the recorded runner saw must be what ours sees,
// but for the encodings that the recorded node asked for of its own.
func (p *placeholders) replayEcho(t *testing.T, n *node, e *recording) {
	t.Helper()
	res, data := p.do(t, n.public, e)
	type seen struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Body    string            `json:"body"`
		Headers map[string]string `json:"headers"`
	}
	var want, got seen
	if err := json.Unmarshal(e.Response.Body, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %s %s", e.What, res.Status, data)
	}
	if got.Method != want.Method || got.Path != want.Path || got.Body != want.Body {
		t.Errorf("%s: %+v, want %+v", e.What, got, want)
	}
	delete(want.Headers, "Accept-Encoding")
	delete(got.Headers, "Accept-Encoding")
	delete(got.Headers, "User-Agent") // the test's client sends one
	if len(got.Headers) != len(want.Headers) {
		t.Errorf("%s: %v, want %v", e.What, got.Headers, want.Headers)
	}
	for k, v := range want.Headers {
		if !p.learn(v, got.Headers[k]) {
			t.Errorf("%s: %s %q, want %q", e.What, k, got.Headers[k], v)
		}
	}
}
