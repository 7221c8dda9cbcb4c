package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
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

// TestGuardsAreReloaded: a running gateway takes over its file of guards. A stream that runs keeps its guards, whose
// program ends with it; a file with a mistake changes nothing; an answer that was kept after the old guards is not
// given to clients of the new ones.
func TestGuardsAreReloaded(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s := canned(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"`+cannedModel+
				`","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, cannedEvent)
		_ = http.NewResponseController(w).Flush()
		close(begun)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, cannedEvent+"data: [DONE]\n\n")
	})
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	dir := t.TempDir()
	file := filepath.Join(dir, "guards.json")
	// write makes a guard whose program writes its process ID into a file, and annotates with its name.
	write := func(name, stages, refuses string) (pid string) {
		t.Helper()
		pid = filepath.Join(dir, name+".pid")
		script := `echo $$ > "$0"; while read -r line; do case "$line" in *` + refuses +
			`*) echo '{"action":"refuse","message":"` + name +
			` refuses"}';; *) echo '{"action":"pass","annotations":{"by":"` + name + `"}}';; esac; done`
		text, err := json.Marshal(map[string]any{"guards": []map[string]any{{"name": name,
			"program": []string{"/bin/sh", "-c", script, pid}, "stages": strings.Split(stages, ","), "concurrency": 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	alive := func(pid string) bool {
		text, err := os.ReadFile(pid)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && syscall.Kill(n, 0) == nil
	}
	oldPID := write("first", "answer", "nothing-at-all")
	admin := harness.Address(t)
	p, gw := gatewayAt(t, orch, admin, "-aiGuards", file, "-aiCache", "1h", "-aiCacheKeys", "*", "-monitor")
	say := func(text string, stream bool) (*http.Response, error) {
		return post(t.Context(), gw+"/v1/chat/completions", "", map[string]any{"model": cannedModel, "max_tokens": 8,
			"stream": stream, "messages": []map[string]string{{"role": "user", "content": text}}})
	}
	ask := func(text string) (*http.Response, string) {
		t.Helper()
		res, err := say(text, false)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(readAll(t, res))
	}
	for _, want := range []string{"miss", "hit"} {
		if res, body := ask("hello"); res.StatusCode != http.StatusOK || res.Header.Get("Tutti-Cache") != want {
			t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
		}
	}
	streamed := make(chan string, 1)
	go func() {
		res, err := say("a stream", true) // it begins once the guard has seen enough
		if err != nil {
			streamed <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		streamed <- string(text)
	}()
	<-begun

	if err := os.WriteFile(file, []byte(`{"guards":[{"name":"second"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Signal(syscall.SIGHUP)
	p.Wait("the mistake to be reported", 20*time.Second, func() bool {
		return strings.Contains(p.Log(), "GuardFileInvalid")
	})
	if res, body := ask("hello"); res.Header.Get("Tutti-Cache") != "hit" {
		t.Errorf("after a file with a mistake: %d %s", res.StatusCode, body)
	}
	write("second", "answer", "word")
	p.Signal(syscall.SIGHUP)
	p.Wait("the new guard to refuse, what was kept before too", 30*time.Second, func() bool {
		res, body := ask("hello")
		return res.StatusCode == http.StatusBadRequest && strings.Contains(body, "second refuses")
	})
	if !alive(oldPID) {
		t.Error("the old guard's program ended before the stream")
	}
	close(release)
	if text := <-streamed; strings.Count(text, " word") != 2 || !strings.Contains(text, `{"first":{"by":"first"}}`) ||
		strings.Contains(text, "second") {
		t.Errorf("the stream that ran: %s", text)
	}
	p.Wait("the end of the old guard's program", 20*time.Second, func() bool { return !alive(oldPID) })
	_, text := harness.Get(t, "http://"+admin+"/metrics")
	for _, series := range []string{`tutti_ai_guard_checks_total\{guard="first",.*result="passed",stage="answer"\} [1-9]`,
		`tutti_ai_guard_checks_total\{guard="second",.*result="refused",stage="answer"\} [1-9]`,
		`tutti_ai_guard_seconds_count\{guard="second",.*stage="answer"\} [1-9]`,
		`tutti_ai_cache_lookups_total\{.*result="hit"\} [1-9]`, `tutti_ai_cache_lookups_total\{.*result="miss"\} [1-9]`} {
		if !regexp.MustCompile(series).Match(text) {
			t.Errorf("no %s", series)
		}
	}
}
