package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// openAIAnswer is an answer, or an event of one, with all that OpenAI's clients read of
// its form. Raw fields tell what is null from what is not there.
type openAIAnswer struct {
	ID, Object, Model string
	Created           int64
	Usage             json.RawMessage
	Choices           []struct {
		Finish         json.RawMessage `json:"finish_reason"`
		Delta, Message map[string]json.RawMessage
	}
}

// openAIEvents reads a stream: its events, and whether it ended with [DONE].
func openAIEvents(t *testing.T, text []byte) (events []openAIAnswer, done bool) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
		case data == "[DONE]":
			done = true
		default:
			var e openAIAnswer
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			events = append(events, e)
		}
	}
	return events, done
}

// checkOpenAIStream holds a stream to OpenAI's form.
func checkOpenAIStream(t *testing.T, name string, text []byte, words int, usage bool) {
	t.Helper()
	events, done := openAIEvents(t, text)
	want := words + 1
	if usage {
		want++
	}
	if len(events) != want || !done {
		t.Fatalf("%s: %d events of %d, [DONE] %v:\n%s", name, len(events), want, done, text)
	}
	for i, e := range events {
		finish, role := "null", ""
		switch {
		case i == 0:
			role = `"assistant"`
		case i == words:
			finish = `"stop"`
		}
		bad := e.Object != "chat.completion.chunk" || e.ID == "" || e.Created == 0 || e.Model != networkModel
		if i > words { // the event that has only usage
			bad = bad || len(e.Choices) != 0 || !strings.Contains(string(e.Usage), `"completion_tokens":`)
		} else {
			bad = bad || len(e.Choices) != 1 || string(e.Choices[0].Finish) != finish ||
				string(e.Choices[0].Delta["role"]) != role || len(e.Usage) > 0 && string(e.Usage) != "null"
		}
		if bad {
			t.Errorf("%s: event %d is none of OpenAI's form:\n%s", name, i, text)
		}
	}
}

// TestForeignAnswersHaveOpenAIsForm: what orchestrators of the existing network answer comes
// to clients of /v1 in the form that OpenAI's clients know, and to those of /llm as it is.
func TestForeignAnswersHaveOpenAIsForm(t *testing.T) {
	t.Parallel()
	o := newForeignOrchestrator(t, only(recordedModel))
	_, gw := gateway(t, o.addr)
	for _, file := range []string{"chat.json", "chat.sse"} {
		sent, err := os.ReadFile("../vectors/ai/network/" + file)
		if err != nil {
			t.Fatal(err)
		}
		stream := strings.HasSuffix(file, ".sse")
		o.handles(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", map[bool]string{true: "text/event-stream", false: "application/json"}[stream])
			_, _ = w.Write(sent)
			return true
		})
		request := chatRequest(networkModel, 3, stream)
		res, err := post(t.Context(), gw+"/v1/chat/completions", "", request)
		if err != nil {
			t.Fatal(err)
		}
		text := readAll(t, res)
		if stream {
			checkOpenAIStream(t, "with usage", text, 3, true)
			delete(request, "stream_options")
			if res, err = post(t.Context(), gw+"/v1/chat/completions", "", request); err != nil {
				t.Fatal(err)
			}
			checkOpenAIStream(t, "without usage", readAll(t, res), 3, false)
		} else {
			var a openAIAnswer
			if err := json.Unmarshal(text, &a); err != nil || a.Object != "chat.completion" || len(a.Choices) != 1 ||
				string(a.Choices[0].Finish) != `"stop"` || string(a.Choices[0].Message["role"]) != `"assistant"` ||
				len(a.Usage) == 0 {
				t.Errorf("%v: %s", err, text)
			}
		}
		if res, err = post(t.Context(), gw+"/llm", "", request); err != nil {
			t.Fatal(err)
		}
		if got := string(readAll(t, res)); strings.TrimSuffix(got, "data: [DONE]\n\n") != string(sent) {
			t.Errorf("/llm: %s", got)
		}
	}
}

// TestForeignRefusalsArriveAsSuch: what a runner behind an orchestrator of the existing
// network finds wrong with a request comes with the runner's status and words, and names the
// field.
func TestForeignRefusalsArriveAsSuch(t *testing.T) {
	t.Parallel()
	o := newForeignOrchestrator(t, only(recordedModel))
	_, gw := gateway(t, o.addr)
	for text, want := range map[string]struct {
		status int
		says   string
	}{
		"LLM container returned 400: temperature must be at most 2":    {400, "temperature must be at most 2"},
		"LLM container returned 422: messages.0.role: not one of them": {422, "messages.0.role: not one of them"},
		"LLM container returned 413: the audio is over 50 MiB":         {413, "the audio is over 50 MiB"},
		"LLM container returned 415: no such audio":                    {415, "no such audio"},
		"unexpected status code: 422": {422,
			"the model server refused the request with status 422 and gives no reason"},
		"LLM container returned 400": {400,
			"the model server refused the request with status 400 and gives no reason"},
		"could not process: LLM container returned 400: prompt is too long\n": {400, "prompt is too long"},
	} {
		o.refuses(always, 500, text)
		for _, stream := range []bool{false, true} {
			res, err := post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(networkModel, 3, stream))
			if err != nil {
				t.Fatal(err)
			}
			body := readAll(t, res)
			var e struct {
				Error struct{ Message, Type, Code string }
			}
			if err := json.Unmarshal(body, &e); err != nil || res.StatusCode != want.status || e.Error.Message != want.says ||
				e.Error.Type != "invalid_request_error" || e.Error.Code != "JobRefused" {
				t.Errorf("%q: %s: %s", text, res.Status, body)
			}
		}
	}
}

// TestForeignStreamThatFails: a stream that ends with the reason "error", as workers of this
// software end one that failed, is no whole answer.
func TestForeignStreamThatFails(t *testing.T) {
	t.Parallel()
	o := newForeignOrchestrator(t, only(recordedModel))
	_, gw := gateway(t, o.addr)
	const head = `data: {"id":"a","model":"m","created":1,"usage":{"prompt_tokens":1,"completion_tokens":1,` +
		`"total_tokens":2},"choices":[{"index":0,`
	o.handles(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(head + `"delta":{"role":"","content":"one"},"finish_reason":""}]}` + "\n\n" +
			head + `"delta":{"role":"","content":""},"finish_reason":"error"}]}` + "\n\n"))
		return true
	})
	res, err := post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(networkModel, 3, true))
	if err != nil {
		t.Fatal(err)
	}
	text := string(readAll(t, res))
	if !strings.Contains(text, `"content":"one"`) || strings.Contains(text, `"error"}`) ||
		strings.Contains(text, "[DONE]") ||
		!strings.Contains(text, `data: {"error":{"message":`) || !strings.Contains(text, "CompletionBroken") {
		t.Errorf("%s:\n%s", res.Status, text)
	}
}
