package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// side is an orchestrator and the model server behind it.
type side struct {
	node *harness.Process
	addr string
	// begun has a message when a job has come that waits.
	begun chan struct{}
}

// waitingSide has a model server that answers "wait" never, "middle" with one event and no more,
// and everything else at once with its name.
func waitingSide(t *testing.T, name string) *side {
	t.Helper()
	s := &side{begun: make(chan struct{}, 8)}
	server := canned(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case bytes.Contains(body, []byte("middle")):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, cannedEvent)
			_ = http.NewResponseController(w).Flush()
		case !bytes.Contains(body, []byte("wait for "+name)):
			_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,`+
				`"message":{"role":"assistant","content":"`+name+`"},"finish_reason":"stop"}]}`)
			return
		}
		s.begun <- struct{}{}
		<-r.Context().Done()
	})
	s.node, s.addr = aiOrchestrator(t, []entry{llmEntry(cannedModel, server.URL)})
	awaitModel(t, s.node, s.addr, cannedModel, "ready")
	return s
}

// say is a chat about a text.
func say(text string, stream bool) map[string]any {
	request := chatRequest(cannedModel, 5, stream)
	request["user"] = text
	return request
}

// A real orchestrator that is stopped (SIGSTOP) loses what waits at it to another one within
// seconds, and a stream that has begun ends with an error.
func TestFrozenOrchestrator(t *testing.T) {
	t.Parallel()
	bad, good := waitingSide(t, "bad"), waitingSide(t, "good")
	_, gw := gateway(t, bad.addr+","+good.addr)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var middle *http.Response
	for middle == nil { // until one has begun at the bad one
		res, err := post(ctx, gw+"/v1/chat/completions", "", say("middle", true))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		select {
		case <-bad.begun:
			middle = res
		case <-good.begun:
		}
	}
	type result struct {
		a   answer
		err error
	}
	waiting := make(chan result, 1)
	for begun := false; !begun; {
		go func() {
			a, err := ask(ctx, gw+"/v1/chat/completions", "", say("wait for bad", false))
			waiting <- result{a, err}
		}()
		select {
		case <-bad.begun:
			begun = true
		case r := <-waiting: // the good one had it
			if r.err != nil || r.a.Text != "good" {
				t.Fatalf("%+v", r)
			}
		case <-ctx.Done():
			t.Fatal("no job came to the one that will freeze")
		}
	}
	bad.node.Signal(syscall.SIGSTOP)
	t.Cleanup(func() { bad.node.Signal(syscall.SIGCONT) })
	frozen := time.Now()
	if r := <-waiting; r.err != nil || r.a.Text != "good" {
		t.Errorf("what waited: %+v", r)
	}
	t.Logf("what waited was answered elsewhere after %v", time.Since(frozen).Round(100*time.Millisecond))
	text, err := io.ReadAll(middle.Body)
	if err != nil || !strings.Contains(string(text), `"error"`) || strings.Contains(string(text), "[DONE]") {
		t.Errorf("the stream: %v, %s", err, text)
	}
	t.Logf("the stream ended after %v", time.Since(frozen).Round(100*time.Millisecond))
	for range 3 {
		if a, err := ask(ctx, gw+"/v1/chat/completions", "", say("now", false)); err != nil || a.Text != "good" {
			t.Errorf("afterwards: %v, %+v", err, a)
		}
	}
}

// Of two model servers behind one orchestrator one refuses all, or takes jobs and says nothing:
// clients get their answers from the other one.
func TestOneOfTwoModelServers(t *testing.T) {
	t.Parallel()
	good := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":"good"},"finish_reason":"stop"}]}`)
	})
	for name, chat := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
		},
		"says nothing": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := canned(t, chat)
			node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, bad.URL), llmEntry(cannedModel, good.URL)},
				"-aiFirstByteTimeout", "1s")
			node.Wait("both servers to be used", 30*time.Second,
				func() bool { return model(t, orch, cannedModel).Capacity == 256 })
			_, gw := gateway(t, orch)
			for i := range 5 {
				a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(cannedModel, 3, false))
				if err != nil || a.Status != http.StatusOK || a.Text != "good" {
					t.Fatalf("request %d: %v, %+v", i, err, a)
				}
			}
		})
	}
}
