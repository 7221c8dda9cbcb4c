package orchestrator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// recordedLive is an exchange of a recording.
type recordedLive struct {
	What    string
	Request struct {
		Line    string
		Headers map[string]string
		Body    json.RawMessage
	}
	Response struct {
		Status  string
		Headers map[string]string
		Body    json.RawMessage
	}
}

// refusalsDiffer are the recorded answers that ours differ from, and ours.
var refusalsDiffer = map[string]string{ // Read-only.
	// The recorded node took any method, and did nothing then.
	"GET": "HTTP/1.1 405 Method Not Allowed",
	// The recorded node's handler failed, and the connection ended without an answer.
	"scope without the serverless worker": "HTTP/1.1 404 Not Found",
}

func TestRecordedLiveVideoRefusals(t *testing.T) {
	n := newLiveNode(t)
	var doc struct{ Exchanges []recordedLive }
	readRecording(t, "live_lv2v_errors.json", &doc)
	for _, e := range doc.Exchanges {
		method, path, _ := strings.Cut(strings.TrimSuffix(e.Request.Line, " HTTP/1.1"), " ")
		res, got := n.replay(method, path, &e)
		if want, ok := refusalsDiffer[e.What]; ok {
			if "HTTP/1.1 "+res.Status != want {
				t.Errorf("%s: %s, want %s", e.What, res.Status, want)
			}
			continue
		}
		if "HTTP/1.1 "+res.Status != e.Response.Status ||
			strings.TrimSuffix(got, "\n") != strings.TrimSuffix(recordedText(e.Response.Body), "\n") {
			t.Errorf("%s: %s %q, want %s %s", e.What, res.Status, got, e.Response.Status, e.Response.Body)
		}
		for k, v := range e.Response.Headers {
			if res.Header.Get(k) != v {
				t.Errorf("%s: %s: %q, want %q", e.What, k, res.Header.Get(k), v)
			}
		}
		for k := range res.Header {
			// Tutti-Code is the code of the error.
			if _, there := e.Response.Headers[k]; !there && k != "Date" && k != "Tutti-Code" {
				t.Errorf("%s: %s: %q is not recorded", e.What, k, res.Header[k])
			}
		}
	}
}

// replay sends a recorded request and returns the answer with its body.
func (n *liveNode) replay(method, path string, e *recordedLive) (*http.Response, string) {
	n.t.Helper()
	body := strings.NewReader(recordedText(e.Request.Body))
	r, err := http.NewRequestWithContext(n.t.Context(), method, n.uri+path, body)
	if err != nil {
		n.t.Fatal(err)
	}
	for k, v := range e.Request.Headers {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return res, string(text)
}

// recordedText is a recorded body as it was sent.
func recordedText(raw json.RawMessage) string {
	var text string
	var fields any
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil || json.Unmarshal(raw, &fields) != nil {
		return text
	}
	line, _ := json.Marshal(fields)
	return string(line)
}
