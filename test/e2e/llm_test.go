package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/tinymodel"
)

// TestOpenAIClient points the stock OpenAI client at a gateway before an
// orchestrator before a real model server.
func TestOpenAIClient(t *testing.T) {
	t.Parallel()
	packages, err := exec.Command("../../deploy/deps/deps.sh", "npm", "../openai").Output()
	if err != nil {
		t.Fatalf("the client's packages: %v\n%s", err, stderr(err))
	}
	server := llamaServer(t, llama.Options{})
	node, orch := aiOrchestrator(t, []entry{llmEntry(llama.ModelID, server.URL)})
	awaitModel(t, node, orch, llama.ModelID, "ready")
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`[{"name": "suite", "key": "tk-suite-0123456789abcdef"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, gw := gateway(t, orch, "-apiKeys", keys)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", "../openai/suite.cjs")
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(strings.TrimSpace(string(packages)), "node_modules"),
		"TUTTI_URL="+gw, "TUTTI_KEY=tk-suite-0123456789abcdef", "TUTTI_MODEL="+llama.ModelID)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "# fail 0") || strings.Contains(string(out), "# pass 0") {
		t.Errorf("the suite says\n%s", out)
	}
}

func stderr(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}

// TestLLM asks in each of the ways there are, through one process that is gateway
// and orchestrator and through two.
func TestLLM(t *testing.T) {
	t.Parallel()
	server := llamaServer(t, llama.Options{})
	node, orch := aiOrchestrator(t, []entry{llmEntry(llama.ModelID, server.URL)})
	if m := awaitModel(t, node, orch, llama.ModelID, "ready"); m.Capacity != 4 {
		t.Errorf("the server has 4 slots, the node offers %d", m.Capacity)
	}
	_, gw := gateway(t, orch)
	for _, path := range []string{"/llm", "/v1/chat/completions"} {
		a := mustAsk(t, gw+path, "", chatRequest(llama.ModelID, 7, false))
		if a.Text != tinymodel.Text(7) || a.Tokens != 7 || a.Finish != "length" {
			t.Errorf("%s: %+v", path, a)
		}
		a = mustAsk(t, gw+path, "", chatRequest(llama.ModelID, 300, true))
		if a.Text != tinymodel.Text(200) || a.Finish != "stop" || !a.Done || a.Events < 100 {
			t.Errorf("%s: %d events, %s, done %v, %d bytes", path, a.Events, a.Finish, a.Done, len(a.Text))
		}
	}
	// As the document of the network has it: no bound, no word of streaming.
	a := mustAsk(t, gw+"/llm", "",
		map[string]any{"model": llama.ModelID, "messages": []any{map[string]string{"role": "user", "content": "hi"}}})
	if !strings.HasPrefix(a.Text, " one two three") {
		t.Errorf("%+v", a)
	}
	for _, row := range []struct {
		name, path, body string
		status           int
		code             string
	}{
		{"not JSON", "/llm", `{"model":`, http.StatusBadRequest, ""},
		{"no messages", "/llm", `{"model":"` + llama.ModelID + `"}`, http.StatusBadRequest, ""},
		{"no model", "/v1/chat/completions", `{"messages":[{"role":"user","content":"hi"}]}`, http.StatusBadRequest, ""},
		{"unknown model", "/v1/chat/completions", `{"model":"who/knows","messages":[{"role":"user","content":"hi"}]}`,
			http.StatusNotFound, "model_not_found"},
		{"unknown path", "/v1/nothing", `{}`, http.StatusNotFound, ""},
	} {
		res, err := http.Post(gw+row.path, "application/json", strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		var e answer
		body := readAll(t, res)
		if res.StatusCode != row.status || e.take(body) != nil || row.code != "" && e.Error != row.code {
			t.Errorf("%s: %s %s, want %d %s", row.name, res.Status, body, row.status, row.code)
		}
	}
	checkIdle(t, node, orch, llama.ModelID)
}

// checkIdle waits until no slot of a model is taken.
func checkIdle(t *testing.T, p *harness.Process, orch, id string) {
	t.Helper()
	p.Wait("all slots of "+id+" to be free", 20*time.Second, func() bool { return model(t, orch, id).Use == "idle" })
}
