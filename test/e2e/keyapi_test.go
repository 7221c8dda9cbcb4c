package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// An operator makes an admin key before the gateway's first start, makes an application's key over HTTP with it, and
// both see what the application used, by its tags; the command sees the same.
func TestKeysAndSpendOverHTTP(t *testing.T) {
	t.Parallel()
	s := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"`+cannedModel+
			`","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
	})
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	dir := t.TempDir()
	create := []string{"key", "create", "-name", "boss", "-admin", "-dataDir", dir}
	if out, status := harness.Output(t, binary, create...); status != 2 || !strings.Contains(out, "KeyDirUnknown") {
		t.Fatalf("a directory that is no node's: %d %s", status, out)
	}
	out, status := harness.Output(t, binary, append(create, "-new")...)
	if status != 0 {
		t.Fatalf("%d %s", status, out)
	}
	admin := strings.Fields(out[strings.Index(out, "tk-"):])[0]
	addr := harness.Address(t)
	gw := harness.Start(t, binary, "-gateway", "-orchAddr", orch, "-httpAddr", addr, "-cliAddr", harness.Address(t),
		"-dataDir", dir, "-transcodingOptions", ladder)
	gw.WaitHTTP("http://" + addr + "/healthz")
	var made struct{ Secret string }
	callKeys(t, "POST", "http://"+addr+"/v1/keys", admin, `{"name":"app","rpm":100,"budget_wei":"1000","period":"day"}`,
		http.StatusCreated, &made)
	res, err := post(t.Context(), "http://"+addr+"/v1/chat/completions", made.Secret, map[string]any{"model": cannedModel,
		"max_tokens": 5, "user": "u1", "metadata": map[string]any{"tags": []string{"blue"}},
		"messages": []any{map[string]string{"role": "user", "content": "hi"}}})
	if err != nil {
		t.Fatal(err)
	}
	if body := string(readAll(t, res)); res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	for _, key := range []string{made.Secret, admin} {
		var used struct {
			Data []struct {
				User, Tag string
				Requests  int
				In        int `json:"tokens_in"`
			}
		}
		callKeys(t, "GET", "http://"+addr+"/v1/usage?by=user,tag", key, "", http.StatusOK, &used)
		if len(used.Data) != 1 || used.Data[0].User != "u1" || used.Data[0].Tag != "blue" || used.Data[0].Requests != 1 ||
			used.Data[0].In != 3 {
			t.Errorf("%+v", used)
		}
	}
	callKeys(t, "GET", "http://"+addr+"/v1/keys", made.Secret, "", http.StatusForbidden, nil)
	if out, status := harness.Output(t, binary, "key", "spend", "-by", "key", "-format", "jsonl", "-dataDir",
		dir); status != 0 || !strings.Contains(out, `"key":"app"`) || strings.Contains(out, "tk-") {
		t.Errorf("%d %s", status, out)
	}
	callKeys(t, "DELETE", "http://"+addr+"/v1/keys/app", admin, "", http.StatusOK, nil)
	callKeys(t, "GET", "http://"+addr+"/v1/keys/self", made.Secret, "", http.StatusUnauthorized, nil)
}

// callKeys sends a request with a key, and reads the answer.
func callKeys(t *testing.T, method, url, key, body string, want int, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer := readAll(t, res)
	if res.StatusCode != want {
		t.Fatalf("%s %s: %d %s", method, url, res.StatusCode, answer)
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			t.Fatal(err)
		}
	}
}
