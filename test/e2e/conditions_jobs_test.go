package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// TestJobOutOfMemory has a runner of the network's contract fail jobs for want of
// GPU memory. The client and the log are told by name, the model stays ready, and
// the next job that fits is done.
func TestJobOutOfMemory(t *testing.T) {
	t.Parallel()
	const id = "test/large"
	var full atomic.Bool
	full.Store(true)
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { say(w, 200, `{"status":"OK"}`) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, `{"pipeline":"llm","model_id":"`+id+`","version":"0.14.1"}`)
	})
	mux.HandleFunc("POST /llm", func(w http.ResponseWriter, r *http.Request) {
		if full.Load() {
			say(w, http.StatusInternalServerError, `{"detail":{"msg":"GPU out of memory."}}`)
			return
		}
		one(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	n := startNode(t, setup{entries: []entry{llmEntry(id, server.URL)}, args: []string{"-aiAllowUnverified"}})
	awaitModel(t, n.Process, n.orch, id, "ready")
	_, gw := gateway(t, n.orch)
	for _, stream := range []bool{false, true} {
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(id, 3, stream))
		if err != nil || a.Status != http.StatusBadGateway || a.Error != string(fault.RunnerOutOfMemory) ||
			!strings.Contains(a.Body, "GPU out of memory") {
			t.Errorf("stream %v: %v, %+v", stream, err, a)
		}
		if m := model(t, n.orch, id); m.State != "ready" {
			t.Errorf("the model is thought ill of: %+v", m)
		}
	}
	for _, line := range n.warnings("] request role=orchestrator ") {
		if !strings.Contains(line, "code=RunnerOutOfMemory ") || !strings.Contains(line, "remedy=") ||
			!strings.Contains(line, "model="+id) {
			t.Error(line)
		}
	}
	if len(n.warnings("] request role=orchestrator ")) == 0 {
		t.Error("the log does not tell")
	}
	full.Store(false)
	mustAsk(t, gw+"/v1/chat/completions", "", chatRequest(id, 3, false))
	checkIdle(t, n.Process, n.orch, id)
	explained(t, fault.RunnerOutOfMemory)
}

// TestJobMismatch asks for models and pipelines that no orchestrator has: a gateway says so,
// and an orchestrator in the words by which gateways of the network go elsewhere.
func TestJobMismatch(t *testing.T) {
	t.Parallel()
	server := canned(t, one)
	unserved := llmEntry("test/nobody", "http://"+harness.Address(t))
	n := startNode(t, setup{entries: []entry{llmEntry(cannedModel, server.URL), unserved},
		args: []string{"-aiAllowUnverified"}})
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	n.fails("llm", "test/nobody", fault.RunnerUnreachable)
	_, gw := gateway(t, n.orch)
	for _, id := range []string{"test/other", "Test/canned"} {
		a, err := ask(t.Context(), gw+"/llm", "", chatRequest(id, 3, false))
		if err != nil || a.Status != http.StatusNotFound || a.Error != "model_not_found" || !strings.Contains(a.Body, id) {
			t.Errorf("%s: %v, %+v", id, err, a)
		}
	}
	a, err := ask(t.Context(), gw+"/text-to-image", "", map[string]string{"model_id": cannedModel, "prompt": "hi"})
	if err != nil || a.Status != http.StatusNotFound || a.Error != "model_not_found" {
		t.Errorf("another pipeline: %v, %+v", err, a)
	}
	for _, row := range []struct {
		model, path string
		status      int
		says        string
		code        fault.Code
	}{
		{cannedModel, "llm", 200, "word", ""},
		{"test/other", "llm", 503, "insufficient capacity\n", fault.ModelNotServed},
		{"test/nobody", "llm", 503, "insufficient capacity\n", fault.ModelFailed},
		{cannedModel, "text-to-image", 503, "insufficient capacity\n", fault.ModelNotServed},
	} {
		res, text := unmodified(t, n.orch, row.path, row.model)
		if res.StatusCode != row.status || !strings.Contains(text, row.says) ||
			res.Header.Get("Tutti-Code") != string(row.code) {
			t.Errorf("%s of %s: %s %v %q", row.model, row.path, res.Status, res.Header, text)
		}
	}
	explained(t, fault.ModelNotServed, fault.ModelFailed, fault.ModelUnknown)
}

// unmodified sends a job as a gateway of the existing network does, which asked
// for terms for another model before.
func unmodified(t *testing.T, orch, path, id string) (*http.Response, string) {
	t.Helper()
	asked := inference.Model{Capability: capability.LLM, ID: cannedModel}
	c := upstream.New(upstream.Options{})
	defer c.Close()
	wants := upstream.JobWants(asked, "0.9.1", "", "")
	info, err := c.Ask(t.Context(), "https://"+orch, &wants)
	if err != nil {
		t.Fatal(err)
	}
	segment, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: asked.Manifest(), Capabilities: wants.Capabilities, Token: info.GetAuthToken(),
	}))
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"` + id + `","model_id":"` + id +
		`","prompt":"hi","max_tokens":3,"messages":[{"role":"user","content":"hi"}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+orch+"/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", segment)
	req.Header.Set("Livepeer-Payment", "")
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	req.Header.Set("Content-Type", "application/json")
	res, err := harness.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(readAll(t, res))
}
