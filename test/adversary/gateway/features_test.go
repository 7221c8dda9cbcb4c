package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// toolsModel is a model whose requests are refused by the names of their tools.
const toolsModel = "poison/model"

// toolServer is a model server that refuses requests with such a tool, as if it had no tools at all.
func toolServer(t *testing.T, refused ...string) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"x"}]}`, toolsModel)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		for _, name := range refused {
			if strings.Contains(string(body), `"name":"`+name+`"`) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"%s does not support tools"}}`, toolsModel)
				return
			}
		}
		fmt.Fprintf(w, `{"object":"chat.completion","model":%q,"choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, toolsModel)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// toolNode is an orchestrator of the server at url, and its address.
func toolNode(t *testing.T, url string) string {
	t.Helper()
	models := filepath.Join(t.TempDir(), "aiModels.json")
	text := fmt.Sprintf(`[{"pipeline":"llm","model_id":%q,"warm":true,"price_per_unit":0,"pixels_per_unit":1,"url":%q}]`,
		toolsModel, url)
	if err := os.WriteFile(models, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := harness.Address(t)
	p := harness.Start(t, binary, "-orchestrator", "-aiWorker", "-network", "offchain", "-aiModels", models,
		"-aiAllowUnverified", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir",
		t.TempDir())
	p.WaitHTTP("https://" + addr + "/healthz")
	p.Wait("the model to be ready", 60*time.Second, func() bool {
		res, err := harness.Client().Get("https://" + addr + "/status")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var page struct{ Models []struct{ State string } }
		return json.NewDecoder(res.Body).Decode(&page) == nil && len(page.Models) == 1 && page.Models[0].State == "ready"
	})
	return addr
}

// chat sends a chat with a tool, that asks one orchestrator first, and returns who answered.
func (g *target) chat(key, tool, first string) (status int, by string) {
	g.Helper()
	r, err := http.NewRequestWithContext(g.Context(), http.MethodPost, g.base+"/v1/chat/completions", strings.NewReader(
		fmt.Sprintf(`{"model":%q,"provider":{"order":[%q]},"tools":[{"type":"function","function":{"name":%q}}],`+
			`"messages":[{"role":"user","content":"hi"}]}`, toolsModel, first, tool)))
	if err != nil {
		g.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	res, err := harness.Client().Do(r)
	if err != nil {
		g.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode, strings.TrimPrefix(res.Header.Get("X-Tutti-Orchestrator"), "https://")
}

// TestOneKeyTeachesOthersNothing: requests of one API key that an orchestrator refuses, while its accomplice serves
// them, and requests that all refuse, change nothing for another key: its requests with tools go where they went. What
// the key itself met counts for it.
func TestOneKeyTeachesOthersNothing(t *testing.T) {
	t.Parallel()
	honest, accomplice := toolNode(t, toolServer(t, "bait", "wrong")), toolNode(t, toolServer(t, "wrong"))
	front := harness.Address(t)
	g := &target{T: t, base: "http://" + front, dir: t.TempDir()}
	g.node = harness.Start(t, binary, "-gateway", "-network", "offchain", "-orchAddr", honest+","+accomplice, "-httpAddr",
		front, "-cliAddr", harness.Address(t), "-dataDir", g.dir, "-apiKeys", twoKeys(t))
	g.node.WaitHTTP(g.base + "/healthz")
	for range 8 {
		if status, by := g.chat(keyA, "bait", honest); status != http.StatusOK || by != accomplice {
			t.Fatalf("the bait: %d by %s", status, by)
		}
		if status, _ := g.chat(keyA, "wrong", honest); status != http.StatusBadRequest {
			t.Fatalf("what all refuse: %d", status)
		}
	}
	if status, by := g.chat(keyA, "good", honest); status != http.StatusOK || by != accomplice {
		t.Errorf("the key's own good request: %d by %s", status, by)
	}
	for range 3 {
		if status, by := g.chat(keyB, "good", honest); status != http.StatusOK || by != honest {
			t.Errorf("another key's request: %d by %s, want %s", status, by, honest)
		}
	}
	// Served within the hour, it is known to have tools: now two keys together take nothing from it.
	for range 3 {
		if status, _ := g.chat(keyB, "bait", honest); status != http.StatusOK {
			t.Errorf("the bait of the other key: %d", status)
		}
	}
	if status, by := g.chat(keyB, "good", honest); status != http.StatusOK || by != honest {
		t.Errorf("after the bait of both keys: %d by %s, want %s", status, by, honest)
	}
}
