package orchestrator_test

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// later is a clock that a test moves on.
type later struct {
	mu sync.Mutex
	by time.Duration
}

func (l *later) now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Add(l.by)
}

func (l *later) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.by += d
}

func statusPage(t *testing.T, n *node) orchestrator.Status {
	t.Helper()
	res, body := get(t, n.h1, n.uri+"/status")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	var st orchestrator.Status
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&st); err != nil {
		t.Fatal(err)
	}
	return st
}

func TestStatus(t *testing.T) {
	t.Parallel()
	clk := &later{}
	n := newNode(t, func(s *setup) {
		s.rules.Limit, s.listener.Now = 2, clk.now
		s.rules.Capabilities = func() capability.Capabilities {
			c := capability.Offer(capability.Default().With(capability.LLM), "0.9.1")
			c.Constraints.PerCapability = map[capability.ID]capability.Models{
				capability.LLM: {"some/model": {Warm: true, Capacity: 4, InUse: 3}, "another/model": {Capacity: 1}},
			}
			return c
		}
	})
	st := statusPage(t, n)
	if st.Version != "0.1.0" || !reflect.DeepEqual(st.Roles, []string{"orchestrator", "transcoder"}) ||
		st.ServiceURI != n.uri || st.UptimeSeconds != 0 || st.State != "serving" {
		t.Errorf("%+v", st)
	}
	wantPipelines := []orchestrator.PipelineStatus{
		{Name: "transcoding", Capacity: 2, Use: "idle"}, {Name: "llm", Capacity: 5, Use: "high"},
	}
	wantModels := []orchestrator.ModelStatus{
		{Pipeline: "llm", Model: "another/model", Capacity: 1, Use: "idle"},
		{Pipeline: "llm", Model: "some/model", Warm: true, Capacity: 4, Use: "high"},
	}
	if !reflect.DeepEqual(st.Pipelines, wantPipelines) || !reflect.DeepEqual(st.Models, wantModels) {
		t.Errorf("pipelines %+v, models %+v", st.Pipelines, st.Models)
	}
	if len(st.Capabilities) != 16 || st.Capabilities[0] != "H.264" {
		t.Errorf("capabilities %q", st.Capabilities)
	}

	for _, want := range []struct{ state, use string }{{"serving", "low"}, {"full", "full"}} {
		tok := n.offer().GetAuthToken()
		n.transcode(n.h2, tok, []byte("segment"))
		clk.pass(time.Second)
		if st := statusPage(t, n); st.State != want.state || st.Pipelines[0].Use != want.use {
			t.Errorf("%+v, want %+v", st, want)
		}
	}
	clk.pass(119 * time.Second)
	if st := statusPage(t, n); st.UptimeSeconds != 120 {
		t.Errorf("uptime %d", st.UptimeSeconds)
	}
}

func TestStatusETag(t *testing.T) {
	t.Parallel()
	clk := &later{}
	n := newNode(t, func(s *setup) { s.listener.Now = clk.now })
	ask := func(tag string) *http.Response {
		req, err := http.NewRequest(http.MethodGet, n.uri+"/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("If-None-Match", tag)
		res, body := do(t, n.h1, req)
		if (res.StatusCode == http.StatusNotModified) != (len(body) == 0) {
			t.Errorf("%d with %d bytes", res.StatusCode, len(body))
		}
		return res
	}
	first := ask("")
	tag := first.Header.Get("ETag")
	for text, want := range map[string]int{tag: 304, `"x", ` + tag: 304, "W/" + tag: 304, "*": 304, `"x"`: 200, "": 200} {
		if got := ask(text).StatusCode; got != want {
			t.Errorf("If-None-Match %s: %d, want %d", text, got, want)
		}
	}
	clk.pass(30 * time.Second)
	if got := ask(tag).StatusCode; got != http.StatusNotModified {
		t.Errorf("half a minute later: %d", got)
	}
	clk.pass(30 * time.Second)
	if got := ask(tag).StatusCode; got != http.StatusOK {
		t.Errorf("a minute later: %d", got)
	}
}

func TestStatusTakesNoBody(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	req, err := http.NewRequest(http.MethodPost, n.uri+"/status", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if res, _ := do(t, n.h1, req); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("status %d", res.StatusCode)
	}
}

// TestStatusIsDocumented compares the page with its description.
func TestStatusIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(doc), "```json\n")
	example, _, ok2 := strings.Cut(example, "```")
	if !ok || !ok2 {
		t.Fatal("no example")
	}
	var st orchestrator.Status
	dec := json.NewDecoder(strings.NewReader(example))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&st); err != nil {
		t.Fatal(err)
	}
	for _, fields := range []reflect.Type{reflect.TypeFor[orchestrator.Status](),
		reflect.TypeFor[orchestrator.ModelStatus]()} {
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(string(doc), "| `"+name) && !strings.Contains(string(doc), "`models[]."+name+"`") &&
				!strings.Contains(example, `"`+name+`"`) {
				t.Errorf("%s is not described", name)
			}
		}
	}
}

func BenchmarkStatus(b *testing.B) {
	n := newNode(b)
	for b.Loop() {
		get(b, n.h1, n.uri+"/status")
	}
}
