package aiapi_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// spends are those that were recorded.
type spends struct {
	mu   sync.Mutex
	list []apikeys.Spend
}

func (s *spends) Spent(one *apikeys.Spend) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, *one)
}

// next waits for the spend of one more request.
func (s *spends) next(t *testing.T, n int) apikeys.Spend {
	t.Helper()
	wait(t, "a request's spend", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.list) >= n })
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[n-1]
}

// A request's cost is taken from its key's money and recorded with its labels: all attempts, and those that
// failed apart.
func TestSpendIsRecorded(t *testing.T) {
	t.Parallel()
	to := &spends{}
	n := start(t, func(o *aiapi.Options) {
		withKey(apikeys.Limits{Budget: apikeys.Budget{Wei: core.NewWei(170), Period: apikeys.Total}})(o)
		o.Spending = to
	}).serve()
	answer := says(chatAnswer)
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		for _, lost := range []bool{true, false} {
			settle, err := inference.FundsOf(ctx).Hold(core.NewWei(60))
			if err != nil {
				return nil, err
			}
			settle(core.NewWei(50), lost)
		}
		return answer(ctx, job)
	}
	const body = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_tokens":16,"user":"u1",` +
		`"metadata":{"tags":["b","a","b"]}}`
	if g := n.post("/v1/chat/completions", body, "Authorization", bearer); g.status != http.StatusOK {
		t.Fatal(g.status, g.body)
	}
	got := to.next(t, 1)
	if got.Paid.Cmp(core.NewWei(100)) != 0 || got.Lost.Cmp(core.NewWei(50)) != 0 || got.User != "u1" ||
		got.Tags != "a,b" || got.Model != "m/llama" || got.Pipeline != "llm" || got.Prompt != 3 || got.Completion != 5 ||
		got.ID == "" ||
		got.Requests != 1 || len(got.Day) != len("2026-03-04") {
		t.Errorf("%+v", got)
	}
	g := n.post("/v1/chat/completions", body, "Authorization", bearer, "X-Tutti-User", "u2", "X-Tutti-Tags", "c")
	if g.status != http.StatusPaymentRequired || g.header.Get("Tutti-Code") != string(fault.BudgetSpent) {
		t.Errorf("more than the budget: %d %s", g.status, g.body)
	}
	if got := to.next(t, 2); got.Paid.IsZero() || got.User != "u2" || got.Tags != "c" {
		t.Errorf("%+v", got)
	}
	if s := n.settled(); s.Usage.Paid.Cmp(core.NewWei(100).Add(to.next(t, 2).Paid)) != 0 || !s.Usage.Held.IsZero() {
		t.Errorf("%+v", s.Usage)
	}
}

// What an orchestrator claims of a prompt is recorded as far as the request can have been read as it: sums of spend and
// figures of metrics are not its word.
func TestClaimedPromptsAreBounded(t *testing.T) {
	t.Parallel()
	to := &spends{}
	n := start(t, func(o *aiapi.Options) {
		withKey(apikeys.Limits{})(o)
		o.Spending = to
	}).serve()
	n.broker.answer = says(strings.NewReplacer(`"prompt_tokens":3`, `"prompt_tokens":999999999999999`,
		`"cached_tokens":2`, `"cached_tokens":999999999999999`).Replace(chatAnswer))
	if g := n.post("/v1/chat/completions", chatBody, "Authorization", bearer); g.status != http.StatusOK {
		t.Fatal(g.status, g.body)
	}
	if got := to.next(t, 1); got.Prompt > 2<<10 || got.Prompt == 0 || got.Completion != 5 {
		t.Errorf("%+v", got)
	}
	if u := n.figures.only(t).Usage; u.Prompt > 2<<10 || u.Cached > u.Prompt {
		t.Errorf("%+v", u)
	}
}
