package aiapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// guarded wants a guard with these fields besides its address, whose verdicts a test gives. asked are its
// questions.
func guarded(t *testing.T, fields string, verdict func(q *guards.Question) string) (change func(*aiapi.Options),
	asked func() []guards.Question) {
	t.Helper()
	var mu sync.Mutex
	var all []guards.Question
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := guards.Question{}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		mu.Lock()
		all = append(all, q)
		mu.Unlock()
		_, _ = io.WriteString(w, verdict(&q))
	}))
	t.Cleanup(s.Close)
	specs, err := guards.ParseFile([]byte(`{"guards":[{"name":"g","url":"` + s.URL + `"` + fields + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return func(o *aiapi.Options) { o.Guards = guards.NewSet(guards.New(specs, slog.New(slog.DiscardHandler))) },
		func() []guards.Question {
			mu.Lock()
			defer mu.Unlock()
			return all
		}
}

// replace is a verdict that replaces a word in what it was asked about.
func replace(q *guards.Question, from, to string) string {
	v := map[string]any{"action": "replace"}
	change := func(b []byte) json.RawMessage { return json.RawMessage(strings.ReplaceAll(string(b), from, to)) }
	if q.Stream {
		events := make([]json.RawMessage, 0, len(q.Events))
		for _, e := range q.Events {
			events = append(events, change(e))
		}
		v["events"] = events
	} else {
		v["body"] = change(q.Body)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

const pass = `{"action":"pass"}`

// A guard before the model refuses, changes and annotates requests.
func TestGuardBeforeTheModel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		verdict     func(q *guards.Question) string
		status      int
		answer      string
		sent        string
		annotations string
	}{
		"passes": {func(*guards.Question) string { return pass }, 200, chatAnswer, chatBody, ""},
		"annotates": {func(*guards.Question) string { return `{"action":"pass","annotations":{"k":"v"}}` }, 200,
			chatAnswer, chatBody, `{"g":{"k":"v"}}`},
		"changes": {func(q *guards.Question) string { return replace(q, `"hi"`, `"ho"`) }, 200, chatAnswer,
			strings.Replace(chatBody, `"hi"`, `"ho"`, 1), ""},
		"refuses": {func(*guards.Question) string { return `{"action":"refuse","message":"no names, please"}` }, 400,
			object("no names, please", "invalid_request_error", "GuardRefused"), "", ""},
		"has another model": {func(q *guards.Question) string { return replace(q, "m/llama", "m/other") }, 503,
			object("a guard made a request that cannot be read, or that has another model, max_tokens, n or stream",
				"server_error", "GuardFailed"), "", ""},
		"is longer": {func(q *guards.Question) string { return replace(q, `"hi"`, `"`+strings.Repeat("x", 2000)+`"`) }, 503,
			object("a guard made the request more than 1 KiB longer", "server_error", "GuardFailed"), "", ""},
		"fails": {func(*guards.Question) string { return "?" }, 503,
			object("the guard g of this gateway gave no verdict", "server_error", "GuardFailed"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, asked := guarded(t, `,"stages":["request"]`, tt.verdict)
			n := start(t, change).serve()
			g := n.post("/llm", chatBody)
			g.want(t, tt.status, tt.answer)
			if annotations := g.header.Get("Tutti-Guard"); annotations != tt.annotations {
				t.Errorf("annotations %q", annotations)
			}
			if tt.sent == "" {
				if len(n.broker.jobs) > 0 {
					t.Error("the model was asked")
				}
			} else if job, _ := n.broker.last(t); string(job.Body) != tt.sent {
				t.Errorf("the model got %s", job.Body)
			}
			if q := asked(); len(q) != 1 || q[0].Model != "m/llama" || q[0].Route != "/llm" || string(q[0].Body) != chatBody {
				t.Errorf("%+v", q)
			}
		})
	}
}

// Only clients with a key make a guard work.
func TestGuardsAreForClientsWithAKey(t *testing.T) {
	t.Parallel()
	change, asked := guarded(t, "", func(*guards.Question) string { return pass })
	n := start(t, func(o *aiapi.Options) {
		withKey(budgeted(10000))(o)
		change(o)
	}).serve()
	if g := n.post("/llm", chatBody, "Authorization", "Bearer tk-wrong"); g.status != http.StatusUnauthorized {
		t.Errorf("status %d", g.status)
	}
	if q := asked(); len(q) != 0 {
		t.Errorf("%+v", q)
	}
	n.post("/llm", chatBody, "Authorization", bearer).want(t, 200, chatAnswer)
	if q := asked(); len(q) != 2 || q[0].Key != "team" || q[1].Stage != guards.StageAnswer {
		t.Errorf("%+v", q)
	}
}

// A guard after the model refuses and changes whole answers. The orchestrator did its work.
func TestGuardAfterTheModel(t *testing.T) {
	t.Parallel()
	change, asked := guarded(t, `,"stages":["answer"]`, func(q *guards.Question) string {
		if strings.Contains(string(q.Body), "secret") {
			return `{"action":"refuse","message":"not for you"}`
		}
		return replace(q, "hello", "h***o")
	})
	n := start(t, change).serve()
	n.post("/v1/chat/completions", chatBody).want(t, 200, strings.Replace(chatAnswer, "hello", "h***o", 1))
	var delivered []inference.Delivery
	secret := says(strings.Replace(chatAnswer, "hello", "secret", 1))
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a, err := secret(ctx, job)
		a.Delivered = func(d inference.Delivery) { delivered = append(delivered, d) }
		return a, err
	}
	n.post("/v1/chat/completions", chatBody).want(t, 400, object("not for you", "invalid_request_error", "GuardRefused"))
	if len(delivered) != 1 || delivered[0].How != inference.Complete {
		t.Errorf("delivered %+v", delivered)
	}
	n.broker.answer = says(`{"choices":`)
	n.post("/v1/chat/completions", chatBody).want(t, 502,
		object("the answer is not one JSON object", "server_error", "AnswerUnreadable"))
	if q := asked(); len(q) != 2 {
		t.Errorf("%d questions", len(q))
	}
}

// Of a stream a guard gets groups of events. What it passes stays byte for byte; it may change them, ask for
// more, and refuse in the middle.
func TestGuardOfAStream(t *testing.T) {
	t.Parallel()
	all := event1 + event2 + lastEvent + done
	for name, tt := range map[string]struct {
		verdict func(q *guards.Question) string
		want    string
		groups  []int
	}{
		"passes": {func(*guards.Question) string { return pass }, all, []int{2, 1}},
		"changes": {func(q *guards.Question) string { return replace(q, "two", "2") },
			strings.Replace(all, "two", "2", 1), []int{2, 1}},
		"annotates": {func(q *guards.Question) string {
			if q.Sequence == 1 {
				return `{"action":"pass","annotations":{"k":"v"}}`
			}
			return pass
		}, event1 + event2 + `: guard {"g":{"k":"v"}}` + "\n\n" + lastEvent + done, []int{2, 1}},
		"wants more": {func(q *guards.Question) string {
			if !q.Final {
				return `{"action":"more"}`
			}
			return replace(q, "one", "1")
		}, strings.Replace(all, "one", "1", 1), []int{2, 3}},
		"refuses": {func(q *guards.Question) string {
			if q.Final {
				return `{"action":"refuse","message":"enough"}`
			}
			return pass
		}, event1 + event2 + `data: {"error":{"message":"enough","type":"invalid_request_error","param":null,` +
			`"code":"GuardRefused","status":400}}` + "\n\n", []int{2, 1}},
		"wants more than all": {func(*guards.Question) string { return `{"action":"more"}` },
			`data: {"error":{"message":"a guard wants more of a stream that has ended","type":"server_error",` +
				`"param":null,"code":"GuardFailed","status":503}}` + "\n\n", []int{2, 3}},
	} {
		for split, parts := range map[string][]string{"at once": {all}, "in events": {event1, event2, lastEvent, done},
			"in bytes": strings.Split(all, ""), "without done": {event1, event2, lastEvent}} {
			t.Run(name+" "+split, func(t *testing.T) {
				t.Parallel()
				change, asked := guarded(t, `,"stages":["answer"],"events":2`, tt.verdict)
				n := start(t, change).serve()
				n.broker.answer = streams(io.EOF, parts...)
				n.post("/llm", streamBody).want(t, 200, tt.want)
				var groups []int
				for _, q := range asked() {
					groups = append(groups, len(q.Events))
				}
				if len(groups) != len(tt.groups) || groups[0] != tt.groups[0] || groups[1] != tt.groups[1] {
					t.Errorf("groups %v", groups)
				}
			})
		}
	}
}

// An orchestrator shows clients nothing of a stream that guards have not seen, in whatever way it writes its events,
// also where failures of the guard pass.
func TestStreamsThatHideEvents(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"a byte order mark":        "\xEF\xBB\xBF" + event1,
		"an end of LF and CR":      strings.TrimSuffix(event1, "\n") + "\r" + event2,
		"an end of CR, LF and CR":  strings.TrimSuffix(event1, "\n\n") + "\r\n\r" + event2,
		"a field that is no field": " " + event1 + event2,
	} {
		for _, failure := range []string{"refuse", "pass"} {
			t.Run(name+" "+failure, func(t *testing.T) {
				t.Parallel()
				change, _ := guarded(t, `,"stages":["answer"],"events":1,"on_failure":"`+failure+`"`,
					func(q *guards.Question) string { return replace(q, "one", "1") })
				n := start(t, change).serve()
				n.broker.answer = streams(io.EOF, first, lastEvent, done)
				if g := n.post("/llm", streamBody); strings.Contains(g.body, `"one"`) {
					t.Errorf("the client got %q", g.body)
				}
			})
		}
	}
}

// What waits for a guard is bounded, and what breaks off is not shown.
func TestStreamThatWaitsForAGuard(t *testing.T) {
	t.Parallel()
	change, _ := guarded(t, `,"stages":["answer"],"events":1000`,
		func(*guards.Question) string { return `{"action":"more"}` })
	n := start(t, change).serve()
	long := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 8000) + `"}}]}` + "\n\n"
	n.broker.answer = streams(io.EOF, strings.Split(strings.Repeat(long+"|", 40), "|")...)
	g := n.post("/llm", streamBody)
	if !strings.Contains(g.body, "GuardFailed") || strings.Contains(g.body, "xxx") {
		t.Errorf("%.300s", g.body)
	}
	n.broker.answer = streams(errors.New("reset"), event1)
	if g := n.post("/llm", streamBody); strings.Contains(g.body, "one") || !strings.Contains(g.body, "CompletionBroken") {
		t.Errorf("%s", g.body)
	}
}

// Forms are shown without their files, and may be refused.
func TestGuardOfAForm(t *testing.T) {
	t.Parallel()
	change, asked := guarded(t, "", func(*guards.Question) string { return `{"action":"refuse","message":"no pictures"}` })
	n := start(t, change).serve()
	form := "--b\r\nContent-Disposition: form-data; name=\"model_id\"\r\n\r\nm/blip\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"prompt\"\r\n\r\nwhat is it\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\n" + string(picture(t)) + "\r\n--b--\r\n"
	g := n.post("/image-to-text", form, "Content-Type", "multipart/form-data; boundary=b")
	g.want(t, 400, object("no pictures", "invalid_request_error", string(fault.GuardRefused)))
	q := asked()
	if len(q) != 1 || !strings.Contains(string(q[0].Body), "what is it") || strings.Contains(string(q[0].Body), "IHDR") {
		t.Errorf("%+v", q)
	}
}

// A text is shown to guards also where it has the name of a file, by which some model servers tell nothing.
func TestGuardOfATextWithTheNameOfAFile(t *testing.T) {
	t.Parallel()
	change, asked := guarded(t, "", func(*guards.Question) string { return `{"action":"refuse","message":"no"}` })
	n := start(t, change).serve()
	form := "--b\r\nContent-Disposition: form-data; name=\"prompt\"; filename=\"x\"\r\n\r\nwhat is it\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\n" + string(picture(t)) + "\r\n--b--\r\n"
	n.post("/image-to-text", form, "Content-Type", "multipart/form-data; boundary=b")
	if q := asked(); len(q) != 1 || !strings.Contains(string(q[0].Body), `"prompt":"what is it"`) ||
		strings.Contains(string(q[0].Body), "IHDR") {
		t.Errorf("%+v", q)
	}
}

// A guarded answer names the model that was asked for, as every other.
func TestGuardedAnswersNameTheAlias(t *testing.T) {
	t.Parallel()
	guard, _ := guarded(t, `,"stages":["answer"]`, func(*guards.Question) string { return pass })
	n := start(t, routed(t, `{"models":{"friendly":{"model":"m/llama"}}}`, guard)).serve()
	n.broker.answer = says(strings.Replace(chatAnswer, `"id":"c"`, `"id":"c","model":"/srv/llama.gguf"`, 1))
	g := n.post("/llm", strings.Replace(chatBody, "m/llama", "friendly", 1))
	if !strings.Contains(g.body, `"model":"friendly"`) {
		t.Errorf("%s", g.body)
	}
}

// TestGuardsOfAliases: an alias does not lead around the guard of its model, nor a list of models around that of
// one of them.
func TestGuardsOfAliases(t *testing.T) {
	t.Parallel()
	table, err := airouting.ParseModelRoutes([]byte(`{"models":{"friendly":{"model":"m/llama","fallbacks":["m/spare"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		models, body string
		asked        int
	}{
		"the model of an alias": {`["m/llama"]`, strings.Replace(chatBody, "m/llama", "friendly", 1), 1},
		"a fallback":            {`["m/spare"]`, strings.Replace(chatBody, "m/llama", "friendly", 1), 1},
		"the alias":             {`["friendly"]`, strings.Replace(chatBody, "m/llama", "friendly", 1), 1},
		"one of several": {`["m/other"]`,
			strings.Replace(chatBody, "{", `{"models":["m/other"],`, 1), 1},
		"the model by its name": {`["friendly"]`, chatBody, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guard, asked := guarded(t, `,"stages":["request"],"models":`+tt.models,
				func(*guards.Question) string { return `{"action":"refuse","message":"no"}` })
			n := start(t, func(o *aiapi.Options) {
				guard(o)
				o.Routes = func() *airouting.ModelRoutes { return table }
			}).serve()
			n.post("/llm", tt.body)
			if got := len(asked()); got != tt.asked {
				t.Errorf("the guard was asked %d times, want %d", got, tt.asked)
			}
		})
	}
}

// Texts that pipelines make of recordings and images are shown to guards, at each of their addresses, and what a guard
// withholds or replaces does not reach the client.
func TestGuardOfOtherTexts(t *testing.T) {
	t.Parallel()
	for path, answer := range map[string]string{
		"/audio-to-text":           `{"text":"secret","chunks":[{"timestamp":[0,1],"text":"secret"}]}`,
		"/v1/audio/transcriptions": `{"text":"secret","chunks":[{"timestamp":[0,1],"text":"secret"}]}`,
		"/image-to-text":           `{"text":"secret"}`,
	} {
		file := "@file"
		if path == "/audio-to-text" {
			file = "@audio"
		} else if path == "/image-to-text" {
			file = "@image"
		}
		for _, action := range []string{"refuse", "replace"} {
			guard, asked := guarded(t, `,"stages":["answer"]`, func(q *guards.Question) string {
				if action == "replace" {
					return replace(q, "secret", "hidden")
				}
				return `{"action":"refuse"}`
			})
			n := start(t, func(o *aiapi.Options) { guard(o); o.Media = seconds(3) }).serve()
			n.broker.answer = says(answer)
			contentType, body := upload(t, file, string(picture(t)))
			g := n.post(path, body, "Content-Type", contentType)
			want := map[string]int{"refuse": http.StatusBadRequest, "replace": http.StatusOK}[action]
			if g.status != want || strings.Contains(g.body, "secret") || len(asked()) != 1 {
				t.Errorf("%s, %s: %d %s, asked %d times", path, action, g.status, g.body, len(asked()))
			}
		}
	}
}

// What guards of answers have not seen is in no refusal either, but for a short message: an orchestrator could answer
// in it.
func TestAnswersInARefusal(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"message":"too long","note":"secret"},"choices":[{"index":0,"message":{"content":"secret"},` +
		`"delta":{"content":"secret"}}]}`
	for _, stage := range []string{"answer", "request"} {
		change, _ := guarded(t, `,"stages":["`+stage+`"]`, func(*guards.Question) string { return pass })
		n := start(t, change).serve()
		n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) { return refuses(body), nil }
		for path, request := range map[string]string{"/llm": streamBody, "/v1/chat/completions": chatBody} {
			g := n.post(path, request)
			if strings.Contains(g.body, "secret") != (stage == "request") || !strings.Contains(g.body, "too long") {
				t.Errorf("stage %s, %s: %d %s", stage, path, g.status, g.body)
			}
		}
	}
}
