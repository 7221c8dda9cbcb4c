package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/tinymodel"
)

// cannedModel is what the canned server serves.
const cannedModel = "test/canned"

// canned is a model server that a test controls.
func canned(t *testing.T, chat http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{`+
			`"id":"`+cannedModel+`","object":"model","owned_by":"vllm","max_model_len":4096}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", chat)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// cannedPath starts an orchestrator before a canned server and a gateway before that.
func cannedPath(t *testing.T, chat http.HandlerFunc) (node *harness.Process, orch, gw string) {
	t.Helper()
	s := canned(t, chat)
	node, orch = aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	_, gw = gateway(t, orch)
	return node, orch, gw
}

const cannedEvent = `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"` + cannedModel +
	`","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"

// A client that leaves is noticed by the model server, whatever stage the answer
// is in, and the slot is free again.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	left := make(chan time.Time, 1)
	begun := make(chan struct{}, 1)
	node, orch, gw := cannedPath(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "in the middle") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, cannedEvent)
			_ = http.NewResponseController(w).Flush()
		}
		begun <- struct{}{}
		<-r.Context().Done()
		left <- time.Now()
	})
	for _, row := range []struct {
		name   string
		stream bool
		say    string
	}{{"before the first token", true, "wait"}, {"in the middle", true, "in the middle"},
		{"without streaming", false, "wait"}} {
		ctx, leave := context.WithCancel(t.Context())
		request := chatRequest(cannedModel, 5, row.stream)
		request["user"] = row.say
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			res, err := post(ctx, gw+"/v1/chat/completions", "", request)
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}()
		<-begun
		at := time.Now()
		leave()
		select {
		case seen := <-left:
			t.Logf("%s: the model server noticed after %v", row.name, seen.Sub(at).Round(time.Millisecond))
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: the model server goes on working", row.name)
		}
		<-answered
		checkIdle(t, node, orch, cannedModel)
	}
}

// A stream that breaks tells the client so, wherever it breaks, and the model is
// not thought ill of for it.
func TestStreamBreaks(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat(cannedEvent, 3)
	var mu sync.Mutex
	at := 0
	node, orch, gw := cannedPath(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		cut := at
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, whole[:cut])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for cut := 1; cut < len(whole); cut += 23 {
		mu.Lock()
		at = cut
		mu.Unlock()
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(cannedModel, 5, true))
		switch {
		case a.Status == http.StatusOK && (a.Error == "" || a.Done):
			t.Fatalf("cut at byte %d: %v, %+v: an answer that is not whole passes for one", cut, err, a)
		case a.Status != http.StatusOK && a.Error == "":
			t.Fatalf("cut at byte %d: %v, %+v", cut, err, a)
		}
	}
	checkIdle(t, node, orch, cannedModel)
	awaitModel(t, node, orch, cannedModel, "ready")
}

// What the model server answers with is told in the words that clients expect.
func TestServerFails(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var reply http.HandlerFunc
	node, orch, gw := cannedPath(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := reply
		mu.Unlock()
		h(w, r)
	})
	fail := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, row := range []struct {
		name   string
		reply  http.HandlerFunc
		status int
	}{
		{"client's mistake", fail(400, `{"error":{"message":"bad temperature","type":"invalid_request_error","code":400}}`),
			400},
		{"unprocessable", fail(422, `{"detail":[{"loc":["body"],"msg":"no","type":"x"}]}`), 422},
		{"defect", fail(500, `{"error":{"message":"boom"}}`), 502},
		{"busy", fail(503, `{"error":{"message":"overloaded"}}`), 503},
		{"not JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>hello</html>")
		}, 502},
		{"nothing", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502},
	} {
		mu.Lock()
		reply = row.reply
		mu.Unlock()
		for _, stream := range []bool{false, true} {
			node.Wait("the model to be ready", 30*time.Second,
				func() bool { return model(t, orch, cannedModel).State == "ready" })
			a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(cannedModel, 5, stream))
			if err != nil || a.Status != row.status && a.Error == "" {
				t.Errorf("%s, stream %v: %v, %+v, want %d", row.name, stream, err, a, row.status)
			}
			if a.Status != row.status {
				t.Errorf("%s, stream %v: status %d %s, want %d", row.name, stream, a.Status, a.Body, row.status)
			}
		}
	}
	checkIdle(t, node, orch, cannedModel)
}

// A real model server dies in the middle of answers. Streams end with an error,
// the model is withdrawn with a reason, and it is back when the server is.
func TestServerDies(t *testing.T) {
	t.Parallel()
	server := llamaServer(t, llama.Options{Model: tinymodel.Options{Embedding: 256, Layers: 8, FeedForward: 1024,
		Words: 999}})
	addr := strings.TrimPrefix(server.URL, "http://")
	node, orch := aiOrchestrator(t, []entry{llmEntry(llama.ModelID, server.URL)})
	awaitModel(t, node, orch, llama.ModelID, "ready")
	_, gw := gateway(t, orch)
	var wg sync.WaitGroup
	begun := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			res, err := post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(llama.ModelID, 3000, true))
			if err != nil {
				t.Error(err)
				begun <- struct{}{}
				return
			}
			defer res.Body.Close()
			first := make([]byte, 1)
			_, _ = io.ReadFull(res.Body, first)
			begun <- struct{}{}
			a := answer{Status: res.StatusCode}
			if err := a.readEvents(io.MultiReader(strings.NewReader(string(first)), res.Body)); err != nil || a.Done ||
				a.Error == "" {
				t.Errorf("the server died: %v, %+v", err, a)
			}
		})
	}
	for range 4 {
		<-begun
	}
	_ = server.Signal(syscall.SIGKILL)
	wg.Wait()
	node.Wait("the model to be withdrawn", 30*time.Second, func() bool {
		m := model(t, orch, llama.ModelID)
		return m.State != "ready" && m.Code != ""
	})
	a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(llama.ModelID, 3, false))
	if err != nil || a.Status < 500 && a.Status != http.StatusNotFound || a.Error == "" {
		t.Errorf("no orchestrator serves the model: %v, %+v", err, a)
	}
	again := llamaServer(t, llama.Options{Addr: addr})
	awaitModel(t, node, orch, again.Alias, "ready")
	// The gateway looks for itself; one that found no orchestrator looks again soon.
	node.Wait("the gateway to find the model", 30*time.Second, func() bool {
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(llama.ModelID, 3, false))
		return err == nil && a.Status == http.StatusOK && a.Text == tinymodel.Text(3)
	})
	checkIdle(t, node, orch, llama.ModelID)
}

// TestManyRequests sends many short requests, streamed and not, over connections
// that the server closes as it likes: none may fail, and what the gateway has
// counted is what the server has counted.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	server := llamaServer(t, llama.Options{Slots: 8})
	node, orch := aiOrchestrator(t, []entry{llmEntry(llama.ModelID, server.URL)})
	awaitModel(t, node, orch, llama.ModelID, "ready")
	admin := harness.Address(t)
	_, gw := gatewayAt(t, orch, admin, "-monitor")
	const workers, each, tokens = 8, 100, 6
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(llama.ModelID, tokens, (w+i)%2 == 0))
				if err != nil || a.Status != http.StatusOK || a.Text != tinymodel.Text(tokens) || a.Tokens != tokens {
					t.Errorf("request %d of %d: %v, %+v", i, w, err, a)
					return
				}
			}
		})
	}
	wg.Wait()
	const want = workers * each * tokens
	if _, text := harness.Get(t, server.URL+"/metrics"); counter(string(text), "llamacpp:tokens_predicted_total") != want {
		t.Errorf("the server has not counted %d tokens:\n%s", want, text)
	}
	_, text := harness.Get(t, "http://"+admin+"/metrics")
	if got := counter(string(text), `tutti_ai_tokens_total{`, `kind="out"`); got != want {
		t.Errorf("the gateway has counted %v tokens, want %d", got, want)
	}
	checkIdle(t, node, orch, llama.ModelID)
}

// counter sums the samples of a metric that have all the given pieces in their line.
func counter(text string, pieces ...string) (sum float64) {
	for line := range strings.Lines(text) {
		match := !strings.HasPrefix(line, "#")
		for _, p := range pieces {
			match = match && strings.Contains(line, p)
		}
		if !match {
			continue
		}
		var v float64
		if _, err := fmt.Sscan(line[strings.LastIndexByte(strings.TrimSpace(line), ' ')+1:], &v); err == nil {
			sum += v
		}
	}
	return sum
}
