package aiapi_test

import (
	"context"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// answerer is what a broker does.
type answerer = func(context.Context, *inference.Job) (*broker.Answer, error)

// paid has an answer cost wei, of which some went to a failed attempt.
func paid(lost, served uint64, answer answerer) answerer {
	return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		for i, wei := range []uint64{lost, served} {
			settle, err := inference.FundsOf(ctx).Hold(core.NewWei(wei))
			if err != nil {
				return nil, err
			}
			settle(core.NewWei(wei), i == 0)
		}
		return answer(ctx, job)
	}
}

// dollar is a thousandth of an ether.
func dollar(bool) (*big.Rat, bool) { return big.NewRat(1e15, 1), true }

// Answers say what was paid for them, which is what the key's spending counts.
func TestCostOfAnswers(t *testing.T) {
	t.Parallel()
	const wei, usd = "300000000000", "0.0003"
	inUsage := `"cost":` + usd + `,"cost_wei":"` + wei + `"}`
	to := &spends{}
	n := startFaced(t, func(o *aiapi.Options) {
		withKey(apikeys.Limits{})(o)
		o.WeiPerUSD, o.Spending = dollar, to
	})
	streamed := streams(io.EOF, event1, lastEvent, usage, done)
	foreignStream := foreign(streams(io.EOF, event1, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`+"\n\n"))
	for i, tt := range []struct {
		name, path, body string
		answer           answerer
		within           string
	}{
		{"chat", "/v1/chat/completions", chatBody, says(chatAnswer), `"cached_tokens":2},` + inUsage},
		{"stream", "/v1/chat/completions", usageBody, streamed, `"total_tokens":5,` + inUsage},
		{"stream of the existing network", "/v1/chat/completions", usageBody, foreignStream, inUsage},
		{"stream without usage", "/v1/chat/completions", streamBody, streamed, ""},
		{"the network's own", "/llm", chatBody, says(chatAnswer), ""},
		{"Messages", "/v1/messages", question("hi", ""), says(chatAnswer), ""},
		{"Messages, streamed", "/v1/messages", question("hi", `,"stream":true`), streamed, ""},
		{"Ollama", "/api/chat", `{"model":"m/llama","stream":false,"messages":[{"role":"user","content":"hi"}]}`,
			says(chatAnswer), ""},
	} {
		n.broker.answer = paid(1e11, 2e11, tt.answer)
		g := n.post(tt.path, tt.body, "Authorization", bearer)
		h := g.header
		if g.status != http.StatusOK || h.Get("X-Tutti-Cost-Wei") != wei || h.Get("X-Tutti-Cost-USD") != usd ||
			h.Get("X-Tutti-Orchestrator") != "https://o:8935" {
			t.Errorf("%s: %d %v %s", tt.name, g.status, h, g.body)
		}
		if strings.Contains(g.body, inUsage) != (tt.within != "") || !strings.Contains(g.body, tt.within) {
			t.Errorf("%s: %s", tt.name, g.body)
		}
		if got := to.next(t, i+1); got.Paid.String() != wei {
			t.Errorf("%s: %s wei are recorded", tt.name, got.Paid)
		}
	}
	n.broker.answer = says(chatAnswer)
	g := n.post("/v1/chat/completions", chatBody, "Authorization", bearer)
	if g.header.Get("X-Tutti-Cost-Wei") != "0" || g.header.Get("X-Tutti-Cost-USD") != "0" || g.body != chatAnswer {
		t.Errorf("what costs nothing: %v %s", g.header, g.body)
	}
	without := start(t, nil).serve()
	without.broker.answer = paid(0, 7, says(chatAnswer))
	g = without.post("/v1/chat/completions", chatBody)
	if g.header.Get("X-Tutti-Cost-Wei") != "7" || g.header.Get("X-Tutti-Cost-USD") != "" ||
		!strings.Contains(g.body, `,"cost_wei":"7"}`) || strings.Contains(g.body, `"cost":`) {
		t.Errorf("without a rate: %v %s", g.header, g.body)
	}
}

// Keys with limits per minute see what is left of them, on refusals too; others see none.
func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	n := startFaced(t, withKey(apikeys.Limits{RPM: 2, TPM: 1000}))
	n.broker.answer = says(chatAnswer)
	for i, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1/chat/completions"} {
		body := chatBody
		if path == "/v1/messages" {
			body = question("hi", "")
		}
		h := n.post(path, body, "Authorization", bearer).header
		left := []string{"1", "0", "0"}[i]
		reset, err := time.ParseDuration(h.Get("x-ratelimit-reset-requests"))
		if h.Get("x-ratelimit-limit-requests") != "2" || h.Get("x-ratelimit-remaining-requests") != left || err != nil ||
			reset <= 20*time.Second || reset > 61*time.Second || h.Get("x-ratelimit-limit-tokens") != "1000" ||
			h.Get("x-ratelimit-remaining-tokens") == "" || h.Get("x-ratelimit-reset-tokens") == "" {
			t.Errorf("request %d: %v", i+1, h)
		}
	}
	n.broker.answer = streams(io.EOF, event1, lastEvent, done)
	limited := start(t, withKey(apikeys.Limits{TPM: 500})).serve()
	limited.broker.answer = streams(io.EOF, event1, lastEvent, done)
	h := limited.post("/v1/chat/completions", streamBody, "Authorization", bearer).header
	if h.Get("x-ratelimit-limit-tokens") != "500" || h.Get("x-ratelimit-limit-requests") != "" {
		t.Errorf("a stream: %v", h)
	}
	open := start(t, nil).serve()
	open.broker.answer = says(chatAnswer)
	for name := range open.post("/v1/chat/completions", chatBody).header {
		if strings.HasPrefix(name, "X-Ratelimit") {
			t.Errorf("without a key: %s", name)
		}
	}
}
