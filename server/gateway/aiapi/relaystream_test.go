package aiapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

const brokenEvent = `data: {"error":{"message":"the answer broke off","type":"server_error","param":null,` +
	`"code":"CompletionBroken","status":502}}` + "\n\n"

const earlyEvent = `data: {"error":{"message":"the stream ended before the answer was finished",` +
	`"type":"server_error","param":null,"code":"CompletionBroken","status":502}}` + "\n\n"

const failedEvent = `data: {"error":{"message":"the stream ended with an error of the orchestrator",` +
	`"type":"server_error",` +
	`"param":null,"code":"CompletionBroken","status":502}}` + "\n\n"

func TestStreams(t *testing.T) {
	t.Parallel()
	large := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}` + "\n\n"
	crlf := strings.ReplaceAll(event1+lastEvent+done, "\n", "\r\n")
	canceled := inference.Usage{Prompt: 3, Completion: 2}
	counted := inference.Usage{Completion: 2, Estimated: true}
	tests := map[string]struct {
		body  string
		parts []string
		err   error
		want  string
		code  fault.Code
		usage inference.Usage
		count int
	}{
		"as it came": {usageBody, []string{event1, event2, lastEvent, usage, done}, io.EOF, event1 + event2 +
			lastEvent + usage + done, "", canceled, 4},
		"usage was not asked for": {streamBody, []string{event1, event2, lastEvent, usage, done}, io.EOF, event1 + event2 +
			lastEvent + done, "", canceled, 4},
		"all at once": {streamBody, []string{event1 + event2 + lastEvent + usage + done}, io.EOF, event1 +
			event2 + lastEvent + done, "", canceled, 4},
		"comments pass": {streamBody, []string{": hello\n\n", event1, event2 + lastEvent + done}, io.EOF,
			": hello\n\n" + event1 + event2 + lastEvent + done, "", counted, 3},
		"without DONE": {streamBody, []string{event1, event2, lastEvent}, io.EOF, event1 + event2 + lastEvent +
			done, "", counted, 3},
		"without DONE, after usage": {
			streamBody, []string{event1, event2, lastEvent, usage}, io.EOF, event1 + event2 + lastEvent + done, "", canceled, 4},
		"last event not ended": {usageBody, []string{event1, event2, strings.TrimSpace(lastEvent)}, io.EOF, event1 +
			event2 + lastEvent + done, "", counted, 3},
		"DONE not ended": {usageBody, []string{event1, event2, lastEvent, "data: [DONE]\n"}, io.EOF, event1 +
			event2 + lastEvent + done, "", counted, 3},
		"cut within the usage": {usageBody, []string{event1, event2, lastEvent, usage[:40]}, io.EOF, event1 + event2 +
			lastEvent + done, "", counted, 3},
		"line ends of DOS": {usageBody, []string{crlf}, io.EOF, crlf, "",
			inference.Usage{Completion: 1, Estimated: true}, 2},
		"a large event": {usageBody, []string{large, lastEvent, done}, io.EOF, large + lastEvent + done, "",
			inference.Usage{Completion: 1, Estimated: true}, 2},
		"a large event, hidden": {streamBody, []string{large + event1, lastEvent + usage, done}, io.EOF, large + event1 +
			lastEvent + done, "", canceled, 4},
		"breaks after an event": {streamBody, []string{event1, event2}, errBroken, event1 + event2 + brokenEvent,
			fault.CompletionBroken, counted, 2},
		"breaks within an event": {streamBody, []string{event1, event2, event1[:30]}, errBroken, event1 + event2 +
			brokenEvent, fault.CompletionBroken, counted, 2},
		"ends too early": {streamBody, []string{event1, event2}, io.EOF, event1 + event2 + earlyEvent,
			fault.CompletionBroken, counted, 2},
		"ends within an event": {streamBody, []string{event1, event2, event1[:30]}, io.EOF, event1 + event2 + earlyEvent,
			fault.CompletionBroken, counted, 2},
		"is empty": {streamBody, nil, io.EOF, earlyEvent, fault.CompletionBroken,
			inference.Usage{Estimated: true}, 0},
		"breaks in a large event": {
			usageBody, []string{large[:70000]}, errBroken, large[:65536] + "\n\n" + brokenEvent, fault.CompletionBroken,
			inference.Usage{Estimated: true}, 0},
		"tells an error itself": {
			streamBody, []string{event1, event2, `data: {"error":"out of memory"}` + "\n\n"}, io.EOF,
			event1 + event2 + `data: {"error":"out of memory"}` + "\n\n" + failedEvent, fault.CompletionBroken, counted, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil).serve()
			n.broker.answer = streams(tt.err, tt.parts...)
			g := n.post("/v1/chat/completions", tt.body)
			g.want(t, http.StatusOK, tt.want)
			if got := g.header.Get("Content-Type"); got != "text/event-stream" {
				t.Errorf("Content-Type %q", got)
			}
			f := n.figures.only(t)
			if f.Code != tt.code || f.Usage != tt.usage || f.Events != tt.count || f.Status != http.StatusOK {
				t.Errorf("figures %+v", f)
			}
		})
	}
}

// Wherever a recorded stream breaks, the client gets whole events and then the
// error.
func TestStreamBreaksAnywhere(t *testing.T) {
	t.Parallel()
	whole := ": hi\n\n" + event1 + event2 + lastEvent + usage + done
	n := start(t, nil).serve()
	for _, end := range []error{errBroken, io.EOF} {
		for i := range len(whole) {
			n.broker.answer = streams(end, whole[:i])
			for _, body := range []string{streamBody, usageBody} {
				g := n.post("/llm", body)
				if problem := problemOf(g.body, whole[:i], end); problem != "" {
					t.Fatalf("cut at %d by %v: %s:\n%s", i, end, problem, g.body)
				}
			}
		}
	}
}

// problem says what is wrong with the client's side of a stream that was cut.
func problemOf(body, sent string, end error) string {
	finished := strings.Contains(sent, lastEvent)
	var last string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if strings.HasPrefix(event, ":") {
			continue
		}
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || data != "[DONE]" && !json.Valid([]byte(data)) {
			return fmt.Sprintf("no event: %q", event)
		}
		last = data
	}
	broken := strings.Contains(last, `"error"`)
	switch {
	case !strings.HasSuffix(body, "\n\n"):
		return "the last event is not ended"
	case end == io.EOF && finished && last != "[DONE]":
		return "a finished stream has no [DONE]"
	case end == io.EOF && !finished && !broken && !strings.Contains(sent, strings.TrimSpace(lastEvent)):
		return "an unfinished stream has no error"
	case end != io.EOF && !broken:
		return "a broken stream has no error"
	case strings.Count(body, "[DONE]") > 1:
		return "[DONE] came twice"
	}
	return ""
}

func TestBytesPassUnchanged(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	body := "{ \"messages\" : " +
		"[{\"content\":[{\"type\":\"text\",\"text\":\"h\\u00e9\"}],\"role\":\"user\"}],\n\t\"model\":\"m/llama\", " +
		"\"tools\":[{\"type\":\"function\"}],\"seed\":1e3, \"x\":{\"y\":[null]} }"
	answer := " {\"object\":\"chat.completion\",\"choices\": [ " +
		"{\"message\":{\"content\":\"\\u0041\"},\"logprobs\":null} ],\r\n \"extra\":1.50 }\n"
	n.broker.answer = says(answer)
	g := n.post("/v1/chat/completions", body, "X-Request-Id", "mine-1")
	g.want(t, http.StatusOK, answer)
	if g.header.Get("X-Request-Id") != "mine-1" {
		t.Errorf("request id %q", g.header.Get("X-Request-Id"))
	}
	job, hint := n.broker.last(t)
	if string(job.Body) != body || job.ContentType != "application/json" || job.RequestID != "mine-1" || job.Stream ||
		job.HideUsage {
		t.Errorf("job %+v with body\n%s", job, job.Body)
	}
	if job.Model.ID != "m/llama" || job.Operation != inference.Chat || len(hint.Affinity) == 0 {
		t.Errorf("job %+v, hint %+v", job, hint)
	}
	n.post("/v1/chat/completions", streamBody)
	if job, _ := n.broker.last(t); !job.Stream || !job.HideUsage || job.MaxTokens != 16 {
		t.Errorf("job %+v", job)
	}
	n.post("/v1/embeddings", `{"model":"m/e","input":"hi"}`)
	if job, _ := n.broker.last(t); job.Operation != inference.Embedding || job.Model.ID != "m/e" {
		t.Errorf("job %+v", job)
	}
	n.post("/v1/rerank", `{"model":"m/r","query":"hi","documents":["a","b"],"stream":true}`)
	if job, _ := n.broker.last(t); job.Operation != inference.Rerank || job.Model.ID != "m/r" || job.Stream ||
		job.Inputs != 2 {
		t.Errorf("job %+v", job)
	}
	n.post("/v1/completions", `{"model":"m/llama","prompt":"hi"}`)
	if job, _ := n.broker.last(t); job.Operation != inference.Completion {
		t.Errorf("job %+v", job)
	}
}

func TestStreamThatIsNone(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.post("/llm", streamBody).want(t, http.StatusOK, chatAnswer)
}

func TestWhatComesLateIsForwardedAtOnce(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	n := start(t, nil).serve()
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("text/event-stream", r), nil
	}
	events := make(chan string, 1)
	go func() {
		for event := range events {
			_, _ = io.WriteString(w, event)
		}
		w.Close()
	}()
	events <- event1
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(n.request(http.MethodPost, "/llm", streamBody))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for i, event := range []string{event1, event2, lastEvent} {
		// One event at a time: the next is written only when this one has arrived.
		if i > 0 {
			events <- event
		}
		b := make([]byte, len(event))
		if _, err := io.ReadFull(resp.Body, b); err != nil || string(b) != event {
			t.Fatalf("%v: %q", err, b)
		}
	}
	close(events)
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != done {
		t.Errorf("%v: %q", err, rest)
	}
}

func TestBudgetEndsAnAnswer(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { withKey(budgeted(300))(o) }).serve()
	var parts []string
	for range 400 {
		parts = append(parts, event1)
	}
	n.broker.answer = streams(io.EOF, append(parts, lastEvent, done)...)
	g := n.post("/llm", strings.Replace(streamBody, `"max_tokens":16,`, "", 1), "Authorization", "Bearer "+token)
	if !strings.Contains(g.body, `"code":"insufficient_quota","status":402`) {
		t.Errorf("status %d:\n…%s", g.status, g.body[max(0, len(g.body)-300):])
	}
	if f := n.figures.only(t); f.Code != fault.BudgetSpent {
		t.Errorf("figures %+v", f)
	}
}
