package live_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// recording is one recorded request and its answer.
type recording struct {
	What    string `json:"what"`
	Request struct {
		Line    string            `json:"line"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"request"`
	Response struct {
		Status  string            `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	} `json:"response"`
}

// entriesOf are all of a file.
func entriesOf(t *testing.T, file string) []json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("../../../test/vectors/live/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []json.RawMessage `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Exchanges
}

// recorded are those with an answer.
func recorded(t *testing.T, file string) []recording {
	t.Helper()
	var out []recording
	for _, e := range entriesOf(t, file) {
		var r recording
		if json.Unmarshal(e, &r) == nil && r.Response.Status != "" {
			out = append(out, r)
		}
	}
	return out
}

// textOf is a body: a text, or the lines of an SDP.
func textOf(raw json.RawMessage) string {
	var text string
	var lines []string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, "\r\n")
	}
	return string(raw)
}

// given puts values in the place of placeholders.
func given(text string) string {
	return strings.NewReplacer("<ufrag>", "abcd", "<pwd>", "abcdefghijklmnopqrstuvwx", "<random>", "42",
		"<fingerprint>", strings.TrimSuffix(strings.Repeat("AB:", 32), ":")).Replace(text)
}

// varying are parts that differ from run to run. Read-only.
var varying = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`WMS ?\*`), "WMS*"}, // the library's spelling changed
	{regexp.MustCompile(`(?m)^a=candidate:.*\r\n`), ""},
	{regexp.MustCompile(`o=- (\S+) (\S+) IN`), "o=- <random> <random> IN"},
	{regexp.MustCompile(`a=ice-ufrag:\S+`), "a=ice-ufrag:<ufrag>"},
	{regexp.MustCompile(`a=ice-pwd:\S+`), "a=ice-pwd:<pwd>"},
	{regexp.MustCompile(`a=fingerprint:sha-256 \S+`), "a=fingerprint:sha-256 <fingerprint>"},
	{regexp.MustCompile(`a=ssrc:\d+`), "a=ssrc:<ssrc>"},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "<16 hex>"},
	{regexp.MustCompile(`-[0-9a-f]{8}-out`), "-<8 hex>-out"},
	{regexp.MustCompile(`http://(127\.0\.0\.1:\d+|gw\.test:8935)/`), "http://<gateway>/"},
	{regexp.MustCompile(`host=\S+`), "host=<gateway>"},
}

func steady(text string) string {
	for _, v := range varying {
		text = v.form.ReplaceAllString(text, v.name)
	}
	return text
}

// replay sends a recorded request and compares the answer.
func replay(t *testing.T, g *gateway, e *recording) {
	t.Helper()
	method, path, _ := strings.Cut(strings.TrimSuffix(e.Request.Line, " HTTP/1.1"), " ")
	r, err := http.NewRequestWithContext(t.Context(), method, g.at(path), strings.NewReader(given(textOf(e.Request.Body))))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range e.Request.Headers {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	check(t, e, res, string(body))
}

// at is the address of a recorded path.
func (g *gateway) at(path string) string {
	return strings.TrimSuffix(g.url, "/live/video-to-video/") + path
}

// check compares an answer with the recorded one.
func check(t *testing.T, e *recording, res *http.Response, body string) {
	t.Helper()
	if got, want := "HTTP/1.1 "+res.Status, e.Response.Status; got != want {
		t.Errorf("%s: %s, not %s", e.What, got, want)
	}
	want := textOf(e.Response.Body)
	fixed := steady(want) == want && !strings.HasPrefix(want, "{") && !strings.Contains(want, "v=0")
	for k, v := range e.Response.Headers {
		got := res.Header.Get(k)
		if k == "Content-Length" && !fixed {
			continue
		}
		if steady(got) != steady(v) {
			t.Errorf("%s: %s: %q, not %q", e.What, k, got, v)
		}
	}
	for k := range res.Header {
		cors := strings.HasPrefix(k, "Access-Control-") && res.StatusCode >= http.StatusBadRequest // for the page to see why
		if _, there := e.Response.Headers[k]; !there && k != "Date" && !cors {
			t.Errorf("%s: %s: %q is not recorded", e.What, k, res.Header[k])
		}
	}
	want = steady(want)
	if strings.HasPrefix(want, "Invalid pipeline params\n") { // followed by an answer that was written too
		want = "Invalid pipeline params\n"
	}
	if strings.HasPrefix(want, "{") {
		if !strings.HasSuffix(body, "}\n") { // as the recorded length says
			t.Errorf("%s: %q", e.What, body)
		}
		sameStatus(t, e, body)
	} else if got := steady(body); got != want {
		t.Errorf("%s:\n%q, not\n%q", e.What, got, want)
	}
}

// sameStatus compares a status with a recorded one.
func sameStatus(t *testing.T, e *recording, text string) {
	t.Helper()
	var got, want map[string]any
	if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal(e.Response.Body, &want) != nil {
		t.Fatal(e.What, text)
	}
	compare(t, e.What, got, want)
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
		if g, _ := got[k].(string); strings.HasSuffix(text, "-out/whep") {
			if steady(g) != steady(strings.ReplaceAll(text, "<id8-1>", "<8 hex>")) {
				t.Errorf("%s: %s: %s, not %s", what, k, g, text)
			}
			continue
		}
		varies := k == "url" || k == "request_id" || k == "timestamp" || k == "error_time"
		if !there || !varies && got[k] != w {
			t.Errorf("%s: %s: %v, not %v", what, k, got[k], w)
		}
	}
	for k := range got {
		if _, there := want[k]; !there && k != "error" { // ours says why a stream found no orchestrator
			t.Errorf("%s: %s: %v is not recorded", what, k, got[k])
		}
	}
}

// The answers to WHIP are those of the network's gateways.
func TestRecordedWHIP(t *testing.T) {
	g := newGateway(t, func(o *live.Options) {
		o.PlaybackURL = "http://localhost:8889/"
		o.Limits.Gather = 5 * time.Second
	})
	for _, e := range recorded(t, "live_whip.json") {
		replay(t, g, &e)
	}
}

// An offer of anything is answered or refused, and leaves nothing behind.
func FuzzOffer(f *testing.F) {
	f.Add(offer)
	f.Add("v=0\r\n")
	f.Add(strings.Replace(offer, "m=video 9", "m=audio 9", 1))
	f.Add(strings.Repeat(offer[strings.Index(offer, "m=video"):], 40))
	f.Fuzz(func(t *testing.T, offer string) {
		g := newGateway(t, nil)
		for _, kind := range []string{"/whip", "-out/whep"} {
			res, text := livevideo.Do(t, "POST", g.url+"cam"+kind, "application/sdp", offer)
			if res.StatusCode >= http.StatusInternalServerError {
				t.Error(res.Status, text)
			}
		}
	})
}
