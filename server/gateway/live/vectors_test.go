package live_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
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
	r, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(g.url, "/live/video-to-video/")+path,
		strings.NewReader(given(textOf(e.Request.Body))))
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
	if got, want := "HTTP/1.1 "+res.Status, e.Response.Status; got != want {
		t.Errorf("%s: %s, not %s", e.What, got, want)
	}
	for k, want := range e.Response.Headers {
		if got := steady(res.Header.Get(k)); k != "Content-Length" && got != steady(want) {
			t.Errorf("%s: %s: %q, not %q", e.What, k, got, want)
		}
	}
	want := steady(textOf(e.Response.Body))
	if strings.HasPrefix(want, "Invalid pipeline params\n") { // followed by an answer that was written too
		want = "Invalid pipeline params\n"
	}
	if strings.HasPrefix(want, "{") {
		same(t, e.What, string(body), want)
	} else if got := steady(string(body)); got != want {
		t.Errorf("%s:\n%q, not\n%q", e.What, got, want)
	}
}

// same compares the fields of a recorded status; there may be more.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	var g, w map[string]map[string]any
	if json.Unmarshal([]byte(steady(got)), &g) != nil || json.Unmarshal([]byte(want), &w) != nil {
		t.Errorf("%s: %s, not %s", what, got, want)
	}
	for object, fields := range w {
		for k, v := range fields {
			if g[object][k] != v {
				t.Errorf("%s: %s.%s: %v, not %v", what, object, k, g[object][k], v)
			}
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

// So are the refusals of all addresses.
func TestRecordedRefusals(t *testing.T) {
	g := newGateway(t, func(o *live.Options) { o.AllowCORS = true })
	replayed := 0
	for _, e := range recorded(t, "live_gateway.json") {
		refusal := slices.ContainsFunc([]string{"status of an unknown", "update of an unknown", "whep of an unknown stream",
			"whep, malformed", "whep PATCH", "whep DELETE", "whep HEAD", "whep OPTIONS", "whip "},
			func(p string) bool { return strings.HasPrefix(e.What, p) })
		if refusal {
			replayed++
			replay(t, g, &e)
		}
	}
	if replayed != 14 {
		t.Error(replayed, "exchanges")
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
