package aiapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestRunnersFormBecomesOpenAIs: the network's runner behind an orchestrator of this software
// answers in a form of its own, too.
func TestRunnersFormBecomesOpenAIs(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	stream := vector(t, "streams/runner.sse")
	named := regexp.MustCompile(`"model":"[^"]*"`).ReplaceAllString(stream, `"model":"m/llama"`)
	n.broker.answer = streams(io.EOF, strings.SplitAfter(stream, "\n\n")...)
	g := n.post("/v1/chat/completions", usageBody)
	if strings.Count(g.body, `"object":"chat.completion.chunk"`) != 5 || strings.Contains(g.body, `"finish_reason":""`) ||
		strings.Count(g.body, `"role":`) != 1 || strings.Count(g.body, `"usage":`) != 1 ||
		!strings.HasSuffix(g.body, "\n\n"+done) {
		t.Errorf("%s", g.body)
	}
	if g := n.post("/v1/chat/completions", streamBody); strings.Contains(g.body, `"usage":`) {
		t.Errorf("usage was not asked for:\n%s", g.body)
	}
	if g := n.post("/llm", streamBody); g.body != named {
		t.Errorf("/llm:\n%s", g.body)
	}
}

// TestRunnersAnswerIsNamed: an answer of the runner's form says what it is, also one that is
// passed on in pieces, whose length was announced.
func TestRunnersAnswerIsNamed(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	for _, text := range []string{"hello", strings.Repeat("x", 100<<10)} {
		answer := `{"id":"a","model":"m","created":1,"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},` +
			`"choices":[{"index":0,"finish_reason":"stop","delta":null,"message":{"role":"assistant","content":"` + text +
			`"}}]}`
		n.broker.answer = says(answer)
		g := n.post("/v1/chat/completions", chatBody)
		var a struct {
			Object  string
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(g.body), &a); err != nil || g.status != http.StatusOK ||
			a.Object != "chat.completion" || a.Choices[0].Message.Content != text {
			t.Errorf("%d bytes: %d, %v, object %q", len(text), g.status, err, a.Object)
		}
		if g := n.post("/llm", chatBody); g.body != strings.Replace(answer, `"model":"m"`, `"model":"m/llama"`, 1) {
			t.Errorf("/llm: %d bytes of %d", len(g.body), len(answer))
		}
	}
}
