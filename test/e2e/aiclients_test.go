package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/llama"
)

// TestAIClients points the stock clients of Anthropic's and Ollama's APIs, Vercel's AI SDK and LangChain at a gateway
// before an orchestrator. It has two models: a real one, which counts, and one that a test controls, for what
// needs tools, images, thoughts and faults.
func TestAIClients(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 64)
	server, scripted := llamaServer(t, llama.Options{}), scriptedServer(t, left)
	node, orch := aiOrchestrator(t, []entry{llmEntry(llama.ModelID, server.URL), llmEntry(cannedModel, scripted.URL)})
	for _, id := range []string{llama.ModelID, cannedModel} {
		awaitModel(t, node, orch, id, "ready")
	}
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`[{"name": "suite", "key": "tk-suite-0123456789abcdef"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, gw := gateway(t, orch, "-apiKeys", keys)
	for _, suite := range []string{
		"aiclients/messages.cjs", "aiclients/ollama.cjs", "aisdk/suite.cjs", "langchain/suite.cjs",
	} {
		runClients(t, suite, gw)
		select {
		case <-left:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the model server does not notice that the client aborted", suite)
		}
	}
	for _, id := range []string{llama.ModelID, cannedModel} {
		checkIdle(t, node, orch, id)
	}
}

// runClients runs a suite of Node.js tests in a folder of test with the packages of that folder.
func runClients(t *testing.T, suite, gw string) {
	t.Helper()
	packages, err := exec.Command("../../deploy/deps/deps.sh", "npm", "../"+filepath.Dir(suite)).Output()
	if err != nil {
		t.Fatalf("the clients' packages: %v\n%s", err, stderr(err))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", "../"+suite)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(strings.TrimSpace(string(packages)), "node_modules"),
		"TUTTI_URL="+gw, "TUTTI_KEY=tk-suite-0123456789abcdef", "TUTTI_MODEL="+llama.ModelID, "TUTTI_SCRIPTED="+cannedModel)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# fail 0") || strings.Contains(string(out), "# pass 0") {
		t.Errorf("%s says %v\n%s", suite, err, out)
	}
}

// scriptedRequest is what the scripted server reads of a chat.
type scriptedRequest struct {
	Stream   bool
	Tools    []json.RawMessage
	Messages []struct {
		Role    string
		Content any
	}
}

// scriptedServer is a model server whose answer the last message decides. It reports on left each time a
// client leaves it.
func scriptedServer(t *testing.T, left chan<- struct{}) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"object":"list","data":[{"id":"`+cannedModel+`","object":"model","owned_by":"vllm","max_model_len":4096}]}`)
	})
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		var data []string
		for i, text := range in.Input {
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,0.5]}`, i, len(text)))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s],"usage":{"prompt_tokens":4}}`, strings.Join(data, ","))
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in scriptedRequest
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
			http.Error(w, "no chat", http.StatusBadRequest)
			return
		}
		scriptedChat(w, r, &in, left)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// scriptedChat answers one chat.
func scriptedChat(w http.ResponseWriter, r *http.Request, in *scriptedRequest, left chan<- struct{}) {
	last := in.Messages[len(in.Messages)-1]
	said := fmt.Sprint(last.Content)
	delta := `"content":"said: "`
	finish := "stop"
	switch {
	case strings.Contains(said, "refuse"):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"the template takes no such chat","type":"invalid_request_error"}}`)
		return
	case last.Role == "tool":
		delta = fmt.Sprintf(`"content":%q`, "It is "+said+".")
	case len(in.Tools) > 0:
		finish = "tool_calls"
		delta = `"content":"I look.","tool_calls":[{"index":0,"id":"call_9","type":"function","function":` +
			`{"name":"get_weather","arguments":"{\"location\":\"Bonn\"}"}}]`
	case strings.Contains(said, "data:image/png"):
		delta = `"content":"a picture"`
	case strings.Contains(said, "think"):
		delta = `"reasoning_content":"hm","content":"done"`
	}
	if !in.Stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w,
			`{"id":"chatcmpl-7","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",%s},`+
				`"finish_reason":%q}],"usage":{"prompt_tokens":11,"completion_tokens":3}}`, delta, finish)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(format string, a ...any) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"chatcmpl-7\",\"object\":\"chat.completion.chunk\","+format+"}\n\n", a...)
		_ = http.NewResponseController(w).Flush()
	}
	event(`"choices":[{"index":0,"delta":{"role":"assistant",%s}}]`, delta)
	switch {
	case strings.Contains(said, "break"):
		panic(http.ErrAbortHandler)
	case strings.Contains(said, "wait"):
		<-r.Context().Done()
		left <- struct{}{}
		return
	}
	event(`"choices":[{"index":0,"delta":{},"finish_reason":%q}]`, finish)
	event(`"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14}`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
