package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// holdingModel is a model server whose streams wait after their first token until the test releases them; other
// answers come at once.
func holdingModel(t *testing.T) (url string, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	const chunk = `data: {"id":"1","object":"chat.completion.chunk","model":"` + cannedModel + `","choices":[{"index":0,` +
		`"delta":{"content":"word"},"finish_reason":%s}]%s}` + "\n\n"
	s := canned(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "hold") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"`+cannedModel+
				`","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, chunk, "null", "")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		fmt.Fprintf(w, chunk, `"stop"`, `,"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	return s.URL, release
}

// An upgrade of a gateway lets an answer that runs end in the old process, while the new one serves. What the answer
// used counts there: as reserved while it runs, so that the key's budget holds, and then as it was.
func TestAnUpgradeOfAGatewayKeepsAnswers(t *testing.T) {
	t.Parallel()
	model, release := holdingModel(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, model)})
	awaitModel(t, node, orch, cannedModel, "ready")
	dir := t.TempDir()
	out, status := harness.Output(t, binary, "key", "create", "-name", "app", "-budget", "2000", "-dataDir", dir, "-new")
	if status != 0 {
		t.Fatalf("%d %s", status, out)
	}
	key := strings.Fields(out[strings.Index(out, "tk-"):])[0]
	addr := harness.Address(t)
	gw := harness.Start(t, binary, "-gateway", "-orchAddr", orch, "-httpAddr", addr, "-cliAddr", harness.Address(t),
		"-dataDir", dir, "-transcodingOptions", ladder)
	gw.WaitHTTP("http://" + addr + "/healthz")
	ask := func(stream bool, prompt string) *http.Response {
		t.Helper()
		res, err := post(t.Context(), "http://"+addr+"/v1/chat/completions", key, map[string]any{"model": cannedModel,
			"max_tokens": 500, "stream": stream, "messages": []any{map[string]string{"role": "user", "content": prompt}}})
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		return res
	}
	running := ask(true, "hold")
	in := bufio.NewReader(running.Body)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "word") {
		t.Fatal(line, err)
	}
	begun := time.Now()
	upgradeLive(t, gw)
	if took := time.Since(begun); took > 8*time.Second {
		t.Error("new clients waited for", took)
	}
	used := func() (n, requests int) {
		t.Helper()
		var self struct{ Used, Reserved, Requests int }
		callKeys(t, "GET", "http://"+addr+"/v1/keys/self", key, "", http.StatusOK, &self)
		return self.Used + self.Reserved, self.Requests
	}
	if n, _ := used(); n < 500 {
		t.Error("while the answer runs elsewhere", n, "tokens are used")
	}
	io.Copy(io.Discard, ask(false, "quick").Body)
	close(release)
	rest, err := io.ReadAll(in)
	if err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Error("the answer broke off:", string(rest), err)
	}
	awaitEnd(t, gw)
	gw.Wait("what both answers used", 20*time.Second, func() bool { n, _ := used(); return n == 9 })
	if n, requests := used(); n != 9 || requests != 2 {
		t.Errorf("%d tokens in %d requests", n, requests)
	}
	var spent struct {
		Data []struct {
			Requests int
			Out      int `json:"tokens_out"`
		}
	}
	gw.Wait("the spend of both answers", 20*time.Second, func() bool {
		callKeys(t, "GET", "http://"+addr+"/v1/usage?by=key", key, "", http.StatusOK, &spent)
		return len(spent.Data) == 1 && spent.Data[0].Requests == 2 && spent.Data[0].Out == 3
	})
}
