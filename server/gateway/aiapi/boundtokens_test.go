package aiapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
)

// Requests that bound their answer in no word, or in one that not every server
// knows.
const (
	openBody   = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}]}`
	openStream = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"stream":true}`
	newerBody  = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":16}`
	openThree  = `{"model":"m/llama","n":3,"messages":[{"role":"user","content":"hi"}]}`
)

// heldTo is body with max_tokens.
func heldTo(tokens, body string) string { return `{"max_tokens":` + tokens + `,` + body[1:] }

// An answer without a bound could take more tokens than its key has. Where the
// key counts them, the request says what is reserved; where not, it goes out as
// it came.
func TestUnboundedAnswersAreHeld(t *testing.T) {
	t.Parallel()
	budget, perMinute, none := budgeted(10000), apikeys.Limits{TPM: 10000}, apikeys.Limits{RPM: 10}
	for name, tt := range map[string]struct {
		limits apikeys.Limits
		body   string
		want   string
		tokens inference.Tokens
		units  inference.Units
	}{
		"no limit":              {none, openBody, openBody, 0, 256},
		"budget":                {budget, openBody, heldTo("256", openBody), 256, 256},
		"tokens":                {perMinute, openBody, heldTo("256", openBody), 256, 256},
		"three answers":         {budget, openThree, heldTo("256", openThree), 256, 768},
		"a stream of a budget":  {budget, openStream, openStream, 0, 256},
		"a stream of tokens":    {perMinute, openStream, heldTo("256", openStream), 256, 256},
		"another word":          {budget, newerBody, heldTo("16", newerBody), 16, 16},
		"another word, free":    {none, newerBody, newerBody, 16, 16},
		"stated":                {budget, chatBody, chatBody, 16, 16},
		"stated, of a stream":   {perMinute, streamBody, streamBody, 16, 16},
		"nothing to be limited": {perMinute, `{"model":"m/e","input":"hi"}`, `{"model":"m/e","input":"hi"}`, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(tt.limits)).serve()
			path := "/llm"
			if strings.Contains(tt.body, "input") {
				path = "/v1/embeddings"
				n.broker.answer = says(`{"data":[{"embedding":[0.5]}]}`)
			}
			if strings.Contains(tt.body, "stream") {
				n.broker.answer = streams(io.EOF, event1, lastEvent, done)
			}
			if g := n.post(path, tt.body, "Authorization", "Bearer "+token); g.status != http.StatusOK {
				t.Fatal(g.status, g.body)
			}
			job, _ := n.broker.last(t)
			if string(job.Body) != tt.want || job.MaxTokens != tt.tokens || job.Units != tt.units {
				t.Errorf("%s\nwant %s\n%d tokens, %d units", job.Body, tt.want, job.MaxTokens, job.Units)
			}
		})
	}
}

// Whatever an orchestrator says was used, a request takes no more than it could
// have used.
func TestLiesCostLittle(t *testing.T) {
	t.Parallel()
	const (
		lie       = `"usage":{"prompt_tokens":999999999999,"completion_tokens":999999999999}`
		lieAnswer = `{"choices":[{"message":{"content":"x"}}],"data":[{"embedding":[1]}],` + lie + `}`
		lieEvent  = "data: {\"choices\":[]," + lie + "}\n\n"
		// What the runner may add to a prompt of text, and to any other.
		margin, otherMargin = 1 << 10, 16 << 10
	)
	parts := []string{event1, lastEvent, lieEvent, done}
	streamed := inference.Tokens(len(strings.Join(parts, "")))
	for name, tt := range map[string]struct {
		body, path string
		parts      []string
		// completion is the most that the answer may be booked at.
		completion inference.Tokens
	}{
		"JSON":                      {chatBody, "/llm", nil, 16},
		"JSON without max_tokens":   {openBody, "/llm", nil, 256},
		"embedding":                 {`{"model":"m/e","input":"hi"}`, "/v1/embeddings", nil, 0},
		"stream":                    {streamBody, "/llm", parts, 16},
		"stream without max_tokens": {openStream, "/llm", parts, max(256, streamed)},
		"lie in every event": {streamBody, "/llm",
			[]string{lieEvent, event1, lieEvent, lastEvent, lieEvent, done}, 16},
		"three answers, no max_tokens": {openThree, "/llm", nil, 768 + otherMargin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(apikeys.Limits{Budget: apikeys.Budget{Tokens: 1 << 20, Period: apikeys.Total}})).serve()
			n.broker.answer = says(lieAnswer)
			if tt.parts != nil {
				n.broker.answer = streams(io.EOF, tt.parts...)
			}
			g := n.post(tt.path, tt.body, "Authorization", "Bearer "+token)
			if g.status != http.StatusOK || strings.Contains(g.body, "insufficient_quota") {
				t.Errorf("status %d, %s", g.status, g.body)
			}
			s := n.settled()
			if most := inference.Tokens(len(tt.body)) + margin + tt.completion; s.Usage.Used > most || s.Usage.Reserved != 0 {
				t.Errorf("used %d, reserved %d, want %d at most", s.Usage.Used, s.Usage.Reserved, most)
			}
		})
	}
}

// A key without limits is booked at what its long answers took, past what was
// assumed.
func TestFreeAnswersAreBookedWhole(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{})).serve()
	n.broker.answer = says(`{"choices":[{"message":{"content":"` + strings.Repeat("word ", 400) +
		`"}}],"usage":{"prompt_tokens":3,"completion_tokens":400}}`)
	n.post("/llm", openBody, "Authorization", "Bearer "+token)
	if s := n.settled(); s.Usage.Used != 403 {
		t.Errorf("used %d", s.Usage.Used)
	}
}
