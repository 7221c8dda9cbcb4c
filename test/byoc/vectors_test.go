package byoc_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/byoc"
)

// recording is one recorded request and its answer.
type recording struct {
	What    string `json:"what"`
	Request struct {
		Line    string                     `json:"line"`
		Headers map[string]json.RawMessage `json:"headers"`
		Body    json.RawMessage            `json:"body"`
	} `json:"request"`
	Response struct {
		Status  string            `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Chunks  []struct {
			Data string `json:"data"`
		} `json:"chunks"`
	} `json:"response"`
	Worker []byoc.Seen `json:"worker_requests"`
}

const service = "http://orch.test:8935"

// free is a node without a chain.
func free(t *testing.T) *byoc.Node {
	t.Helper()
	rules, err := orchestrate.New(orchestrate.Options{
		ServiceURI: service, LiveWork: true,
		Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
		Now:          time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return byoc.Start(t, byoc.NodeOptions{Rules: rules})
}

// differs are the recorded answers that ours differ from, and how: what is not compared, and the status if that is
// another one.
var differs = map[string]struct {
	status string
	parts  string
}{
	// The slot of the refused request is free again.
	"token now: available_capacity is gone": {"", "body"},
	// Error texts name no address.
	"connection error: capability removed": {"", "body"},
	// Channels have names that are not guessed, and none are made for a refused stream. Two streams take both slots.
	"stream start: same id":              {"", "urls"},
	"stream start, body not JSON":        {"503", "urls body balance"},
	"fourth stream on capacity 2: taken": {"503", "urls body balance"},
	// The capability is not called again for a stream that has ended.
	"stream stop twice": {"", "body"},
}

// TestRecordedExchanges sends what was recorded to a node, and compares its answers and what the capability saw.
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../vectors/live/live_byoc.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []recording `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	r := replay{t: t, node: free(t), worker: byoc.NewCapability(t), names: make(map[string]string)}
	for i := range doc.Exchanges {
		if e := &doc.Exchanges[i]; e.Request.Line != "" {
			r.exchange(e)
		} else {
			r.compareWorker(e.Worker)
		}
	}
}

// replay knows this node's names of channels by the recorded ones.
type replay struct {
	t      *testing.T
	node   *byoc.Node
	worker *byoc.Capability
	names  map[string]string
}

// fill puts this test's addresses into a recorded text.
func (r *replay) fill(text string) string {
	text = strings.ReplaceAll(text, "http://worker.test:9100", r.worker.URL)
	text = strings.ReplaceAll(text, "worker.test:9100", strings.TrimPrefix(r.worker.URL, "http://"))
	text = strings.ReplaceAll(text, "worker.test:9199", "127.0.0.1:1")
	for recorded, own := range r.names {
		text = strings.ReplaceAll(text, recorded+" ", own+" ")
	}
	return text
}

func (r *replay) exchange(e *recording) {
	r.t.Helper()
	fields := strings.Fields(e.Request.Line)
	path := fields[1]
	for recorded, own := range r.names {
		path = strings.Replace(path, "/ai/trickle/"+recorded, "/ai/trickle/"+own, 1)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), fields[0], r.node.URI+path, strings.NewReader(r.fill(sent(
		e.Request.Body))))
	if err != nil {
		r.t.Fatal(err)
	}
	for name, value := range e.Request.Headers {
		req.Header.Set(name, header(r.t, value))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.compare(e, res, string(body))
}

// sent is a recorded body as it was sent.
func sent(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return indent.ReplaceAllString(string(raw), "")
}

// indent is what the recording's file has between the parts of a body.
var indent = regexp.MustCompile(`\n *`)

// header is a recorded header as it was sent: jobs are shown as their JSON.
func header(t *testing.T, raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var job struct {
		JSON json.RawMessage `json:"base64 of"`
	}
	if err := json.Unmarshal(raw, &job); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(job.JSON)
}

var channel = regexp.MustCompile(`/ai/trickle/(strm\d)`)

func (r *replay) compare(e *recording, res *http.Response, body string) {
	r.t.Helper()
	differ := differs[e.What]
	want := strings.Fields(e.Response.Status)[1]
	if differ.status != "" {
		want = differ.status
	}
	if want != fmt.Sprint(res.StatusCode) {
		r.t.Errorf("%s: %s %q, want %s", e.What, res.Status, body, want)
		return
	}
	fixed := !strings.Contains(string(e.Response.Body), ".test")
	for name, value := range e.Response.Headers {
		switch {
		case name == "Content-Length" && fixed && !strings.Contains(differ.parts, "body") && differ.status == "":
		case name == "Content-Length", name == "Transfer-Encoding", name == "Connection",
			strings.HasSuffix(name, "-Url") && strings.Contains(differ.parts, "urls"),
			name == "Livepeer-Balance" && strings.Contains(differ.parts, "balance"),
			// Bodies that are empty or no text of this node.
			name == "Content-Type" && len(body) == 0:
			continue
		case strings.HasSuffix(name, "-Url"):
			r.learn(e.What, value, res.Header.Get(name))
			continue
		}
		if res.Header.Get(name) != value {
			r.t.Errorf("%s: %s %q, want %q", e.What, name, res.Header.Get(name), value)
		}
	}
	for name := range res.Header {
		if _, there := e.Response.Headers[name]; !there && name != "Date" {
			r.t.Errorf("%s: %s: %q is not recorded", e.What, name, res.Header[name])
		}
	}
	if len(e.Response.Chunks) > 0 {
		r.compareEvents(e, body)
		return
	}
	// The recorded length of a token is that of its JSON and a newline.
	if strings.HasPrefix(e.What, "token") && res.StatusCode == http.StatusOK && !strings.HasSuffix(body, "}\n") {
		r.t.Errorf("%s: %q", e.What, body)
	}
	if !strings.Contains(differ.parts, "body") && !r.sameBody(e.Response.Body, body) {
		r.t.Errorf("%s: %s, want %s", e.What, body, e.Response.Body)
	}
}

// compareEvents compares events up to the mark of their end. What follows are empty lines, of which the recorded node
// sent as many as it could.
func (r *replay) compareEvents(e *recording, body string) {
	r.t.Helper()
	want := ""
	for _, c := range e.Response.Chunks {
		want += c.Data
	}
	const end = "data: [DONE]\n"
	want = want[:strings.Index(want, end)+len(end)]
	if rest, ok := strings.CutPrefix(body, want); !ok || strings.Trim(rest, "\n") != "" {
		r.t.Errorf("%s: %q, want %q", e.What, body, want)
	}
}

// learn compares the URL of a channel, whose name is another one here.
func (r *replay) learn(what, want, got string) {
	r.t.Helper()
	name := channel.FindStringSubmatch(want)[1]
	rest := want[strings.Index(want, name)+len(name):]
	own := strings.TrimSuffix(strings.TrimPrefix(got, service+"/ai/trickle/"), rest)
	if known := r.names[name]; len(own) != 32 || known != "" && known != own {
		r.t.Errorf("%s: %s, want %s", what, got, want)
	}
	r.names[name] = own
}

// sameBody compares a text, or JSON but for the headers that the recorded node's client added.
func (r *replay) sameBody(want json.RawMessage, got string) bool {
	var text string
	if len(want) == 0 || json.Unmarshal(want, &text) == nil {
		return r.fill(text) == got
	}
	var wanted, have any
	if json.Unmarshal([]byte(r.fill(string(want))), &wanted) != nil || json.Unmarshal([]byte(got), &have) != nil {
		return false
	}
	return reflect.DeepEqual(plain(wanted), plain(have))
}

func plain(v any) any {
	if all, ok := v.(map[string]any); ok {
		if headers, ok := all["headers"].(map[string]any); ok {
			delete(headers, "Accept-Encoding")
			delete(headers, "User-Agent")
		}
	}
	return v
}

// compareWorker compares what the capability saw. The recorded node passed on a stream that it had already, one for
// which it had no slot, and the stop of one that had ended.
func (r *replay) compareWorker(want []byoc.Seen) {
	r.t.Helper()
	got := r.worker.Seen()
	at := 0
	for i, w := range want {
		again := i > 0 && w.Path == want[i-1].Path && w.Body == want[i-1].Body
		if again || strings.Contains(w.Body, "strm4") {
			continue
		}
		if at == len(got) {
			r.t.Fatalf("the capability did not see %+v", w)
		}
		g := got[at]
		at++
		body := strings.ReplaceAll(w.Body, service, "http://inside.test:8935")
		for recorded, own := range r.names {
			body = strings.ReplaceAll(body, "/"+recorded, "/"+own)
		}
		delete(w.Headers, "Accept-Encoding")
		delete(g.Headers, "User-Agent")
		delete(w.Headers, "User-Agent")
		delete(w.Headers, "Content-Length")
		delete(g.Headers, "Content-Length")
		w.Headers["Host"] = r.fill(w.Headers["Host"])
		if g.Method != w.Method || g.Path != w.Path || g.Body != body || !reflect.DeepEqual(g.Headers, w.Headers) {
			r.t.Errorf("the capability saw %+v, want %+v with %s", g, w, body)
		}
	}
	if at != len(got) {
		r.t.Errorf("the capability saw %d requests, want %d", len(got), at)
	}
}
