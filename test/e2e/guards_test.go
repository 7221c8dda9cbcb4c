package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forbidding is a guard in a shell: it refuses lines with a word and passes others.
const forbidding = `while read -r line; do case "$line" in
*forbidden*) echo '{"action":"refuse","message":"that word is forbidden here"}';;
*) echo '{"action":"pass","annotations":{"words":"fine"}}';;
esac; done`

// redactor is a guard that is a service: it takes numbers of cards out of answers. Of a stream it wants all
// before it decides.
func redactor(t *testing.T) string {
	t.Helper()
	const card = "4111 1111 1111 1111"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Stream, Final bool
			Body          json.RawMessage
			Events        []struct {
				Choices []struct {
					Delta struct{ Content string }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		switch {
		case !q.Stream:
			fmt.Fprintf(w, `{"action":"replace","body":%s}`, strings.ReplaceAll(string(q.Body), card, "[card]"))
		case !q.Final:
			fmt.Fprint(w, `{"action":"more"}`)
		default:
			var text strings.Builder
			for _, e := range q.Events {
				for _, c := range e.Choices {
					text.WriteString(c.Delta.Content)
				}
			}
			b, _ := json.Marshal(strings.ReplaceAll(text.String(), card, "[card]"))
			fmt.Fprintf(w, `{"action":"replace","events":[{"choices":[{"index":0,"delta":{"content":%s},
				"finish_reason":"stop"}]}]}`, b)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestGuards puts a program before a model and a service after it, in real processes. What is kept of answers is
// what the guards made of them.
func TestGuards(t *testing.T) {
	t.Parallel()
	s := startScript(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, s.url)})
	awaitModel(t, node, orch, scriptedID, "ready")
	file := filepath.Join(t.TempDir(), "guards.json")
	text, err := json.Marshal(map[string]any{"guards": []map[string]any{
		{"name": "words", "program": []string{"/bin/sh", "-c", forbidding}, "stages": []string{"request"}},
		{"name": "cards", "url": redactor(t), "stages": []string{"answer"}, "models": []string{"script/*"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, gw := gateway(t, orch, "-aiGuards", file, "-aiCache", "1h", "-aiCacheKeys", "*")
	say := func(path, text string, stream bool) (*http.Response, string) {
		t.Helper()
		res, err := post(t.Context(), gw+path, "", map[string]any{"model": scriptedID, "max_tokens": 64,
			"stream": stream, "messages": []map[string]string{{"role": "user", "content": text}}})
		if err != nil {
			t.Fatal(err)
		}
		return res, string(readAll(t, res))
	}
	for _, path := range []string{"/v1/chat/completions", "/v1/messages"} {
		res, body := say(path, "a forbidden thing", false)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "that word is forbidden here") ||
			res.Header.Get("Tutti-Code") != "GuardRefused" {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
		for _, stream := range []bool{false, true} {
			res, body := say(path, "pay with 4111 1111 1111 1111", stream)
			if res.StatusCode != http.StatusOK || strings.Contains(body, "1111") || !strings.Contains(body, "[card]") {
				t.Errorf("%s, stream %v: %d %s", path, stream, res.StatusCode, body)
			}
			again, kept := say(path, "pay with 4111 1111 1111 1111", stream)
			if hit := again.Header.Get("Tutti-Cache"); hit != "hit" || kept == "" || strings.Contains(kept, "1111") {
				t.Errorf("%s, stream %v: Tutti-Cache %q: %s", path, stream, hit, kept)
			}
			if annotations := res.Header.Get("Tutti-Guard"); annotations != `{"words":{"words":"fine"}}` {
				t.Errorf("%s, stream %v: annotations %q", path, stream, annotations)
			}
		}
	}
}
