package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const bearer = "Bearer " + token

// A reservation is for the whole request: a model reads tools, schemas, calls of tools and
// images as it reads the text.
func TestTheWholeRequestIsReserved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 2000) // about 2500 tokens
	url := "data:image/png;base64," + strings.Repeat("A", 40000)
	for name, body := range map[string]string{
		"tools": `{"model":"m/llama","max_tokens":16,"messages":[{"role":"user","content":"hi"}],` +
			`"tools":[{"type":"function","function":{"name":"f","description":"` + long + `"}}]}`,
		"a schema": `{"model":"m/llama","max_tokens":16,"messages":[{"role":"user","content":"hi"}],` +
			`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"description":"` + long + `"}}}}`,
		"calls of tools": `{"model":"m/llama","max_tokens":16,"messages":[{"role":"assistant","tool_calls":[{"id":"1",` +
			`"type":"function","function":{"name":"f","arguments":"` + long + `"}}]},{"role":"user","content":"hi"}]}`,
		"pictures": `{"model":"m/llama","max_tokens":16,"messages":[{"role":"user","content":[{"type":"text",` +
			`"text":"what?"},` +
			strings.Repeat(`{"type":"image_url","image_url":{"url":"`+url+`"}},`, 2) +
			`{"type":"image_url","image_url":{"url":"` + url + `"}}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(10000))).serve()
			if g := n.post("/v1/chat/completions", body, "Authorization", bearer); g.status != http.StatusOK {
				t.Fatalf("a budget that has room for it: %d %s", g.status, g.body)
			}
			n = start(t, withKey(budgeted(2000))).serve()
			g := n.post("/v1/chat/completions", body, "Authorization", bearer)
			if g.status/100 != 4 || len(n.broker.jobs) != 0 {
				t.Errorf("a budget of 2000 tokens let in a prompt of more: %d %s", g.status, g.body)
			}
		})
	}
}

// What waiting cannot cure is the request's own: 400, with the number that would do.
func TestLimitsThatWaitingDoesNotCure(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m/llama","max_tokens":5000,"n":2,"messages":[{"role":"user","content":"hi"}]}`
	for name, limits := range map[string]apikeys.Limits{
		"per minute": {TPM: 2001},
		"budget":     {Budget: apikeys.Budget{Tokens: 2001, Period: apikeys.Day}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(limits)).serve()
			g := n.post("/v1/chat/completions", body, "Authorization", bearer)
			if g.status != http.StatusBadRequest || g.header.Get("Retry-After") != "" ||
				g.header.Get("X-Should-Retry") == "true" {
				t.Errorf("status %d, Retry-After %q", g.status, g.header.Get("Retry-After"))
			}
			for _, part := range []string{"2001", "10001", "max_tokens", "1000"} {
				if !strings.Contains(g.body, part) {
					t.Errorf("the answer does not have %q: %s", part, g.body)
				}
			}
			fits := strings.Replace(body, "5000", "1000", 1)
			if g := n.post("/v1/chat/completions", fits, "Authorization", bearer); g.status != http.StatusOK {
				t.Errorf("the number that was named: %d %s", g.status, g.body)
			}
		})
	}
}

// Images and sounds are work that is paid for, so they count towards a budget.
func TestMediaCountsTowardsABudget(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(budgeted(3*512*512))).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(picture(t)) + `"}]}`)
	const body = `{"model_id":"m/sd","prompt":"a dog","width":512,"height":512}`
	for i := range 3 {
		if g := n.post("/text-to-image", body, "Authorization", bearer); g.status != http.StatusOK {
			t.Fatalf("image %d: %d %s", i, g.status, g.body)
		}
		if s := n.settled(); s.Usage.Used != inference.Tokens((i+1)*512*512) || s.Usage.Reserved != 0 {
			t.Fatalf("after image %d: %+v", i, s.Usage)
		}
	}
	if g := n.post("/text-to-image", body, "Authorization", bearer); g.status != http.StatusPaymentRequired {
		t.Errorf("a fourth image: %d %s", g.status, g.body)
	}
	const large = `{"model_id":"m/sd","prompt":"a dog","width":4096,"height":4096}`
	if g := n.post("/text-to-image", large, "Authorization", bearer); g.status != http.StatusBadRequest ||
		!strings.Contains(g.body, "16777216") {
		t.Errorf("an image that is larger than all of the budget: %d %s", g.status, g.body)
	}
	if s := n.settled(); s.Usage.Used != 3*512*512 || s.InFlight != 0 {
		t.Errorf("refused images cost something: %+v", s)
	}
}

// An orchestrator charges max_tokens whatever the answer takes of it, and whether or not the
// client waits for it: that is what its key's budget counts.
func TestABudgetCountsWhatIsPaid(t *testing.T) {
	t.Parallel()
	const prompt, text = 3, `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_tokens":500`
	billed := func(answer func(context.Context, *inference.Job) (*broker.Answer, error)) func(context.Context,
		*inference.Job) (*broker.Answer, error) {
		return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			a, err := answer(ctx, job)
			if err == nil {
				a.Billed = job.Units
			}
			return a, err
		}
	}
	for name, tt := range map[string]struct {
		path, body string
		answer     func(context.Context, *inference.Job) (*broker.Answer, error)
		want       inference.Tokens
	}{
		"a short answer": {"/llm", text + "}", billed(says(chatAnswer)), prompt + 500},
		"two answers":    {"/llm", text + `,"n":2}`, billed(says(chatAnswer)), prompt + 1000},
		"a short stream": {"/llm", text + `,"stream":true}`, billed(streams(io.EOF, event1, lastEvent, usage, done)),
			prompt + 500},
		"nothing is paid": {"/llm", text + "}", says(chatAnswer), prompt + 5},
		"the orchestrator broke it off": {
			"/llm", text + `,"stream":true}`, billed(streams(errBroken, event1)), 1 + 1,
		},
		"an embedding": {
			"/v1/embeddings", `{"model":"m/e","input":"` + strings.Repeat("x", 400) + `"}`,
			billed(says(`{"data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":7}}`)), 100,
		},
		"the client left before the answer": {"/llm", text + "}",
			func(_ context.Context, job *inference.Job) (*broker.Answer, error) {
				return nil, &upstream.BilledError{Err: fault.Wrap(fault.Canceled, "send job", context.Canceled), Units: job.Units}
			}, 1 + 500},
		"it left before it was sent": {"/llm", text + "}", fails(fault.Wrap(fault.Canceled, "find", context.Canceled)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(100_000))).serve()
			n.broker.answer = tt.answer
			n.post(tt.path, tt.body, "Authorization", bearer)
			if s := n.settled(); s.Usage.Used != tt.want || s.Usage.Reserved != 0 {
				t.Errorf("used %+v, want %d", s.Usage, tt.want)
			}
		})
	}
}
