package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestOneOfTwoIsBad: of two orchestrators one, which clients ask for first, refuses, fails and breaks off
// between good answers, and then is frozen. Every request is answered, streamed or not.
func TestOneOfTwoIsBad(t *testing.T) {
	t.Parallel()
	answer := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, cannedEvent+"data: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"chat.completion","model":"`+cannedModel+`","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":" word"},"finish_reason":"stop"}]}`)
	}
	bad := []func(http.ResponseWriter){
		func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"no tools here"}}`, http.StatusBadRequest)
		},
		func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"defect"}}`, http.StatusInternalServerError)
		},
		func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"error":{"message":"out of memory"}}`)
		},
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	}
	var asked, spoilt atomic.Int64 // of the bad one
	first := canned(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 0 {
			answer(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		bad[int(spoilt.Add(1)-1)%len(bad)](w)
	})
	second := canned(t, answer)
	badNode, badAt := aiOrchestrator(t, []entry{llmEntry(cannedModel, first.URL)})
	goodNode, goodAt := aiOrchestrator(t, []entry{llmEntry(cannedModel, second.URL)})
	awaitModel(t, badNode, badAt, cannedModel, "ready")
	awaitModel(t, goodNode, goodAt, cannedModel, "ready")
	_, gw := gateway(t, badAt+","+goodAt)
	client := http.Client{Timeout: time.Minute}
	t.Cleanup(client.CloseIdleConnections)
	ask := func(when string, requests int) {
		for i := range requests {
			res, err := client.Post(gw+"/v1/chat/completions", "application/json", strings.NewReader(fmt.Sprintf(
				`{"model":%q,"stream":%t,"max_tokens":8,"provider":{"order":[%q]},`+
					`"messages":[{"role":"user","content":"%s %d"}]}`, cannedModel, i%3 == 0, badAt, when, i)))
			if err != nil {
				t.Fatalf("%s, request %d: %v", when, i, err)
			}
			body := string(readAll(t, res))
			if res.StatusCode != http.StatusOK || !strings.Contains(body, " word") || strings.Contains(body, `"error"`) {
				t.Errorf("%s, request %d: %d %s", when, i, res.StatusCode, body)
			}
		}
	}
	ask("one refuses", 300)
	t.Logf("the bad one was asked %d times, and spoilt %d", asked.Load(), spoilt.Load())
	if spoilt.Load() < int64(len(bad)) {
		t.Error("the bad one did not do all that it can do")
	}
	badNode.Signal(syscall.SIGSTOP)
	t.Cleanup(func() { badNode.Signal(syscall.SIGCONT) })
	ask("one is frozen", 50)
}
