package byoc_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
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
}

// header is one of the request's; that with the job is recorded as what is in it.
func (e *recording) header(name string) string {
	var in struct {
		JSON json.RawMessage `json:"base64 of"`
	}
	if raw := e.Request.Headers[name]; json.Unmarshal(raw, &in) == nil && in.JSON != nil {
		return base64.StdEncoding.EncodeToString(in.JSON)
	} else if raw != nil {
		return text(raw)
	}
	return ""
}

// path is that of the request.
func (e *recording) path() string {
	_, path, _ := strings.Cut(strings.TrimSuffix(e.Request.Line, " HTTP/1.1"), " ")
	return path
}

func (e *recording) status() (n int) {
	_, _ = fmt.Sscanf(e.Response.Status, "HTTP/1.1 %d", &n)
	return n
}

// text is a recorded body.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (e *recording) write(w http.ResponseWriter) {
	for k, v := range e.Response.Headers {
		if k != "Content-Length" && k != "Transfer-Encoding" && k != "Connection" {
			w.Header().Set(k, v)
		}
	}
	w.WriteHeader(e.status())
	_, _ = io.WriteString(w, text(e.Response.Body))
	for _, c := range e.Response.Chunks {
		_, _ = io.WriteString(w, c.Data)
		_ = http.NewResponseController(w).Flush()
	}
}

func recorded(t *testing.T) []recording {
	t.Helper()
	data, err := os.ReadFile("../../../test/vectors/live/live_byoc.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Exchanges []json.RawMessage `json:"exchanges"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var out []recording
	for _, raw := range doc.Exchanges {
		var e recording
		if json.Unmarshal(raw, &e) == nil && e.Response.Status != "" {
			out = append(out, e)
		}
	}
	return out
}

// fields are the names in the JSON of a header in base64.
func fields(t *testing.T, header string) []string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(header)
	var m map[string]any
	if err != nil || json.Unmarshal(data, &m) != nil {
		t.Fatalf("%q", header)
	}
	return slices.Sorted(maps.Keys(m))
}

// Every recorded answer to a job of a gateway is what the client of this one gets, or, from status 500 on, an error;
// and what this gateway sends has the form of what was recorded.
func TestRecordedRequests(t *testing.T) {
	t.Parallel()
	replayed := 0
	for _, e := range recorded(t) {
		kind := e.header("Livepeer")
		if kind == "" || !strings.HasPrefix(e.path(), "/process/request/") {
			continue
		}
		replayed++
		o := newOrchestrator(t)
		o.request = func(w http.ResponseWriter, _ *http.Request) bool { e.write(w); return true }
		g := newGateway(t, nil, o)
		res, got := g.do(t, "POST", e.path(), job(`{"run": "x"}`, `{}`, 10), "", text(e.Request.Body))
		s := o.saw("/process/request/")
		if len(s) != 1 || s[0].line+" HTTP/1.1" != e.Request.Line || s[0].body != text(e.Request.Body) {
			t.Errorf("%s: sent %+v", e.What, s)
			continue
		}
		if got, want := fields(t, s[0].header.Get("Livepeer")), fields(t, kind); !slices.Equal(got, want) {
			t.Errorf("%s: job %v, want %v", e.What, got, want)
		}
		for name := range e.Request.Headers {
			if got := s[0].header.Get(name); got == "" || name != "Livepeer" && got != e.header(name) {
				t.Errorf("%s: %s: %q", e.What, name, got)
			}
		}
		if e.status() >= 500 {
			var body struct{ Error struct{ Code string } }
			if json.Unmarshal([]byte(got), &body) != nil || body.Error.Code == "" || res.StatusCode < 500 {
				t.Errorf("%s: %s %s", e.What, res.Status, got)
			}
			continue
		}
		want := text(e.Response.Body)
		for _, c := range e.Response.Chunks {
			want += c.Data
		}
		if i := strings.Index(want, "[DONE]\n"); i >= 0 {
			want = want[:i] + "[DONE]\n\n" // what follows is of no use
		}
		if res.StatusCode != e.status() || got != want {
			t.Errorf("%s: %s %q, want %q", e.What, res.Status, got, want)
		}
		for _, name := range []string{"Content-Type", "X-Metadata", "Livepeer-Balance", "Livepeer-Payment-Balance"} {
			if res.Header.Get(name) != e.Response.Headers[name] {
				t.Errorf("%s: %s: %q", e.What, name, res.Header.Get(name))
			}
		}
	}
	if replayed != 12 {
		t.Error(replayed, "exchanges")
	}
}

// The recorded tokens are understood, and asked for in the recorded form.
func TestRecordedTokens(t *testing.T) {
	t.Parallel()
	replayed := 0
	for _, e := range recorded(t) {
		if e.path() != "/process/token" || !strings.HasPrefix(e.Request.Line, "GET") {
			continue
		}
		replayed++
		o := newOrchestrator(t)
		o.token = func(w http.ResponseWriter, _ *http.Request) bool { e.write(w); return true }
		g := newGateway(t, nil, o)
		res, got := g.do(t, "POST", "/process/request/x", job(`{"run": "x"}`, `{}`, 10), "", "")
		free := strings.Contains(text(e.Response.Body), "available_capacity")
		if want := map[bool]int{true: 200, false: 503}[free]; res.StatusCode != want {
			t.Errorf("%s: %s %s", e.What, res.Status, got)
		}
		s := o.saw("/process/token")[0]
		if want := e.header("Livepeer-Capability"); want == "demo-cap" && s.header.Get("Livepeer-Capability") != want {
			t.Error(s.header)
		}
		if want := e.header("Livepeer-Eth-Address"); want != "" && want != "zz" &&
			!slices.Equal(fields(t, s.header.Get("Livepeer-Eth-Address")), fields(t, want)) {
			t.Error(s.header)
		}
	}
	if replayed != 6 {
		t.Error(replayed, "exchanges")
	}
}

// The recorded life of a stream is one of this gateway's: begin, update, payment, stop, each with its answer.
func TestRecordedStreams(t *testing.T) {
	t.Parallel()
	replayed := 0
	for _, e := range recorded(t) {
		what, ok := strings.CutPrefix(e.path(), "/ai/stream/")
		if !ok || what == "payment" { // see TestRecordedStreamPayment
			continue
		}
		replayed++
		o := newOrchestrator(t)
		o.stream = func(w http.ResponseWriter, r *http.Request) bool {
			if r.PathValue("what") != what {
				return false
			}
			e.write(w)
			return true
		}
		g := newGateway(t, nil, o)
		body := `{"stream_id":"s1"}`
		if b := text(e.Request.Body); what == "start" && b != "" {
			var m struct{ Params json.RawMessage }
			_ = json.Unmarshal([]byte(b), &m)
			if m.Params != nil {
				body = `{"stream_id":"s1","params":` + fmt.Sprintf("%q", m.Params) + `}`
			}
		}
		res, got := g.do(t, "POST", "/process/stream/start", job("{}", "{}", 10), "", body)
		if what != "start" {
			res, got = g.do(t, "POST", "/process/stream/s1/"+what, job("{}", "{}", 10), "", text(e.Request.Body))
		}
		s := o.saw(e.path())[0]
		if !slices.Equal(fields(t, s.header.Get("Livepeer")), fields(t, e.header("Livepeer"))) ||
			s.job.Request != `{"stream_id":"s1"}` {
			t.Errorf("%s: sent %+v", e.What, s)
		}
		switch {
		case what == "start" && e.status() == 200:
			if res.StatusCode != 200 || !strings.Contains(got, `"stream_id":"s1"`) {
				t.Errorf("%s: %s %s", e.What, res.Status, got)
			}
		case e.status() >= 500:
			if res.StatusCode < 500 || !strings.Contains(got, `"code":`) {
				t.Errorf("%s: %s %s", e.What, res.Status, got)
			}
		case res.StatusCode != e.status() || strings.TrimSpace(got) != strings.TrimSpace(text(e.Response.Body)):
			t.Errorf("%s: %s %s", e.What, res.Status, got)
		}
	}
	if replayed != 9 {
		t.Error(replayed, "exchanges")
	}
}

// A payment for a stream has the form of the recorded one, and the recorded answer to it is taken.
func TestRecordedStreamPayment(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	e := all[slices.IndexFunc(all, func(e recording) bool { return e.path() == "/ai/stream/payment" })]
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		if r.PathValue("what") != "payment" {
			return false
		}
		e.write(w)
		return true
	}
	now := newClock()
	g := paidRig(t, 1<<40, func(x *setup) { x.Limits.Pay, x.Now = 20*time.Millisecond, now.Now }, o)
	at := g.begin(t, "{}", `{"stream_id":"strm1"}`)
	paid := o.tickets()
	for n := 1; n <= 2; n++ { // the answer to the first one is no reason to leave
		now.forward(50 * time.Second)
		until(t, "payment", func() bool { return len(o.saw("/ai/stream/payment")) >= n && o.tickets() >= paid+5*n })
	}
	s := o.saw("/ai/stream/payment")[0]
	if s.line+" HTTP/1.1" != e.Request.Line || s.body != text(e.Request.Body) || s.job.Request == "" {
		t.Errorf("%+v", s)
	}
	if got, want := fields(t, s.header.Get("Livepeer")), fields(t, e.header("Livepeer")); !slices.Equal(got, want) {
		t.Errorf("job %v, want %v", got, want)
	}
	if n := len(o.saw("/ai/stream/start")); n != 1 {
		t.Errorf("it was started %d times", n)
	}
	g.do(t, "POST", at["stop_url"], "", "", "{}")
}
