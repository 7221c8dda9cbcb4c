package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// scriptedID is the model that follows a script.
const scriptedID = "script/model"

// script is a model server that answers by what the last message says.
type script struct {
	url string
	// counting are the endless answers that run.
	counting atomic.Int64
}

// scriptAnswer is what the script answers, in the form of a message.
type scriptAnswer struct {
	Role      string       `json:"role,omitempty"`
	Content   string       `json:"content"`
	Reasoning string       `json:"reasoning_content,omitempty"`
	Calls     []scriptCall `json:"tool_calls,omitempty"`
	finish    string
}

type scriptCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// scriptRequest is a chat, as far as the script reads it.
type scriptRequest struct {
	Stream   bool
	Messages []struct {
		Role      string
		Content   json.RawMessage
		Reasoning string `json:"reasoning_content"`
	}
	Tools  []struct{ Function struct{ Name string } }
	Format struct{ Type string } `json:"response_format"`
}

func startScript(t *testing.T) *script {
	s := &script{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"script"}]}`, scriptedID)
	})
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *script) chat(w http.ResponseWriter, r *http.Request) {
	var in scriptRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
		http.Error(w, `{"error":{"message":"no chat"}}`, http.StatusBadRequest)
		return
	}
	last := in.Messages[len(in.Messages)-1]
	var text string
	_ = json.Unmarshal(last.Content, &text)
	if text == "refuse this" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"the script refuses this","type":"invalid_request_error"}}`)
		return
	}
	if text == "count without end" {
		s.count(w, r, in.Stream)
		return
	}
	a := in.answer(last.Role, text)
	if !in.Stream {
		a.Role = "assistant"
		b, _ := json.Marshal(a)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":%s,
			"finish_reason":%q}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`, scriptedID, b, a.finish)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	a.stream(w)
	if text == "break off" {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	event(w, fmt.Sprintf(`{},"finish_reason":%q`, a.finish))
	fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`+
		"\n\ndata: [DONE]\n\n")
}

// answer is the script.
func (in *scriptRequest) answer(role, text string) (a scriptAnswer) {
	a.finish = "stop"
	call := func(name, arguments string) {
		c := scriptCall{ID: "call_1", Type: "function"}
		c.Function.Name, c.Function.Arguments = name, arguments
		a.Calls, a.finish = []scriptCall{c}, "tool_calls"
	}
	named := func(part string) int {
		return slices.IndexFunc(in.Tools, func(t struct{ Function struct{ Name string } }) bool {
			return strings.Contains(t.Function.Name, part)
		})
	}
	switch {
	case role == "tool":
		a.Content = "The function says: " + text
	case strings.HasPrefix(text, "weather") && named("weather") >= 0:
		call("get_weather", `{"city":"Rome"}`)
	case strings.HasPrefix(text, "hand over") && named("transfer") >= 0:
		call(in.Tools[named("transfer")].Function.Name, "{}")
	case in.Format.Type == "json_schema":
		a.Content = `{"n":true}`
	case text == "what did you think?":
		for _, m := range in.Messages {
			a.Content += m.Reasoning
		}
	case strings.HasPrefix(text, "think"):
		a.Reasoning, a.Content = "hm, hm", "I thought."
	default:
		a.Content = fmt.Sprintf("%d messages, the last: %s", len(in.Messages), text)
		if text == "too long" {
			a.finish = "length"
		}
	}
	return a
}

// event sends one event of a stream.
func event(w http.ResponseWriter, delta string) {
	fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":%q,"choices":[{"index":0,`+
		`"delta":%s}]}`+
		"\n\n", scriptedID, delta)
}

// stream sends an answer in pieces.
func (a *scriptAnswer) stream(w http.ResponseWriter) {
	event(w, `{"role":"assistant","content":""}`)
	send := func(field, text string) {
		for _, word := range strings.SplitAfter(text, " ") {
			b, _ := json.Marshal(word)
			event(w, `{"`+field+`":`+string(b)+`}`)
		}
	}
	if a.Reasoning != "" {
		send("reasoning_content", a.Reasoning)
	}
	if a.Content != "" {
		send("content", a.Content)
	}
	for _, c := range a.Calls {
		first, rest := c, scriptCall{}
		first.Function.Arguments = c.Function.Arguments[:1]
		rest.Function.Arguments = c.Function.Arguments[1:]
		for _, piece := range []scriptCall{first, rest} {
			b, _ := json.Marshal([]scriptCall{piece})
			event(w, `{"tool_calls":`+string(b)+`}`)
		}
	}
}

// count answers until the client leaves.
func (s *script) count(w http.ResponseWriter, r *http.Request, stream bool) {
	s.counting.Add(1)
	defer s.counting.Add(-1)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	if stream {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	for range 3000 {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		if stream {
			event(w, `{"content":"one "}`)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// TestResponsesClients points the stock OpenAI client and the Agents SDK at a gateway's Responses
// API.
func TestResponsesClients(t *testing.T) {
	t.Parallel()
	s := startScript(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, s.url)})
	awaitModel(t, node, orch, scriptedID, "ready")
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`[{"name": "suite", "key": "tk-suite-0123456789abcdef"},
		{"name": "other", "key": "tk-other-0123456789abcdef"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, gw := gateway(t, orch, "-apiKeys", keys)
	for _, suite := range []struct{ packages, file string }{
		{"../openai", "../openai/responses.cjs"}, {"../agents", "../agents/suite.cjs"},
	} {
		t.Run(filepath.Base(suite.packages), func(t *testing.T) { runResponses(t, suite.packages, suite.file, gw) })
	}
	node.Wait("the model to stop counting", 20*time.Second, func() bool { return s.counting.Load() == 0 })
}

// runResponses runs a suite of Node.js tests.
func runResponses(t *testing.T, packages, file, gw string) {
	t.Helper()
	dir, err := exec.Command("../../deploy/deps/deps.sh", "npm", packages).Output()
	if err != nil {
		t.Fatalf("the client's packages: %v\n%s", err, stderr(err))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", file)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(strings.TrimSpace(string(dir)), "node_modules"),
		"TUTTI_URL="+gw, "TUTTI_KEY=tk-suite-0123456789abcdef", "TUTTI_OTHER_KEY=tk-other-0123456789abcdef",
		"TUTTI_MODEL="+scriptedID)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "# fail 0") || strings.Contains(string(out), "# pass 0") {
		t.Errorf("the suite says\n%s", out)
	}
}

// TestResponsesWithoutKeys: a gateway without keys answers its own machine, keeps nothing and says so.
func TestResponsesWithoutKeys(t *testing.T) {
	t.Parallel()
	s := startScript(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, s.url)})
	awaitModel(t, node, orch, scriptedID, "ready")
	_, gw := gateway(t, orch)
	for _, row := range []struct{ method, path, body, want string }{
		{"POST", "", `{"model":"script/model","input":"hi"}`, `"store":false`},
		{"POST", "", `{"model":"script/model","input":"hi","previous_response_id":"resp_1"}`, "ResponsesNotKept"},
		{"POST", "", `{"model":"script/model","input":"hi","store":true}`, "ResponsesNotKept"},
		{"GET", "/resp_1", "", "ResponsesNotKept"}, {"GET", "", "", "MethodNotAllowed"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), row.method, gw+"/v1/responses"+row.path,
			strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := harness.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if body := string(readAll(t, res)); !strings.Contains(body, row.want) {
			t.Errorf("%s %s %s: %s %s", row.method, row.path, row.body, res.Status, body)
		}
	}
}
