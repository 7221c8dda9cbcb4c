package apikeys_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// answers is a webhook that answers by model, "" for the list of models.
type answers map[string]apikeys.Key

func (a answers) Decide(_ context.Context, _ string, need apikeys.Need) (apikeys.Key, error) {
	return a[need.Model], nil
}

// answered is a guard whose only source is a webhook.
func answered(a answers, store apikeys.Store) (*apikeys.Guard, *coretest.Clock) {
	c := coretest.NewClock(dawn)
	return apikeys.New(apikeys.Options{Decider: a, Store: store, Now: c.Now}), c
}

func limited(l apikeys.Limits) apikeys.Key { return apikeys.Key{Limits: l} }

func daily(tokens inference.Tokens) apikeys.Key { return budgeted(tokens, apikeys.Day) }

func budgeted(tokens inference.Tokens, p apikeys.Period) apikeys.Key {
	return limited(apikeys.Limits{Budget: apikeys.Budget{Tokens: tokens, Period: p}})
}

// use sends a request of so many tokens and ends it.
func use(t *testing.T, g *apikeys.Guard, model string, tokens inference.Tokens) {
	t.Helper()
	admit(t, g, apikeys.Need{Model: model, MaxTokens: tokens}).Settle(inference.Usage{Completion: tokens}, true)
}

// An answer without limits, for another model or the list of models, takes
// nothing from those of the answer that a request gets.
func TestAnswersLimitTheirOwnRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		key  apikeys.Key
		want fault.Code
		// lasting: it is so still at the next request to the webhook.
		lasting bool
	}{
		{"requests", limited(apikeys.Limits{RPM: 1}), fault.RateLimited, false},
		{"tokens", limited(apikeys.Limits{TPM: 10}), fault.TokenRateLimited, false},
		{"concurrency", limited(apikeys.Limits{Concurrency: 1}), fault.ConcurrencyLimited, true},
		{"budget", daily(10), fault.BudgetSpent, true},
		{"models", limited(apikeys.Limits{Models: []string{"other"}}), fault.ModelNotAllowed, true},
		{"end", apikeys.Key{Expires: dawn}, fault.KeyExpired, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, c := answered(answers{"llama": tt.key}, nil)
			need := apikeys.Need{Model: "llama", MaxTokens: 10}
			_, _ = g.Admit(t.Context(), secret, need)
			refused(t, g, need, tt.want)
			use(t, g, "free", 1)
			admit(t, g, apikeys.Need{MaxTokens: apikeys.NoTokens})
			refused(t, g, need, tt.want)
			c.Forward(61 * time.Second)
			admit(t, g, apikeys.Need{MaxTokens: apikeys.NoTokens})
			if grant, err := g.Admit(t.Context(), secret, need); tt.lasting && fault.CodeOf(err) != tt.want || !tt.lasting &&
				grant == nil {
				t.Errorf("asked again: %v", err)
			}
		})
	}
}

// A limited answer does not reach those of other models either.
func TestAnswersLimitNoOtherRequest(t *testing.T) {
	t.Parallel()
	narrow := limited(apikeys.Limits{Models: []string{"B"}, RPM: 1, Concurrency: 1,
		Budget: apikeys.Budget{Tokens: 5, Period: apikeys.Day}})
	narrow.Name = "narrow"
	g, _ := answered(answers{"A": {Name: "wide"}, "B": narrow}, nil)
	a := admit(t, g, apikeys.Need{Model: "A", MaxTokens: 2})
	a.Settle(inference.Usage{}, false)
	use(t, g, "B", 2) // requests per minute count where they are limited
	refused(t, g, apikeys.Need{Model: "B", MaxTokens: 1}, fault.RateLimited)
	again := admit(t, g, apikeys.Need{Model: "A", MaxTokens: 200})
	if a.Key() != "wide" || again.Key() != "wide" || !a.Allows("A") || !again.Allows("C") {
		t.Errorf("%s, %s", a.Key(), again.Key())
	}
	if err := again.Reach(1000); err != nil {
		t.Error(err)
	}
	again.Settle(inference.Usage{Completion: 1000}, true)
	// All that the key used counts where there is a budget.
	refused(t, g, apikeys.Need{Model: "B", MaxTokens: 1}, fault.BudgetSpent)
}

// An answer that grows is held to the budget it was let in with.
func TestAnswersGrowWithinTheirOwnBudget(t *testing.T) {
	t.Parallel()
	g, _ := answered(answers{"llama": daily(1000)}, nil)
	grant := admit(t, g, apikeys.Need{Model: "llama"})
	use(t, g, "free", 10)
	if err := grant.Reach(991); !errors.Is(err, fault.BudgetSpent) {
		t.Error(err)
	}
}

// Whatever periods the answers have and in whatever order: what was used in a
// period stays used.
func TestPeriodOfAnAnswerWipesNothing(t *testing.T) {
	t.Parallel()
	periods := []apikeys.Period{apikeys.Day, apikeys.Week, apikeys.Month, apikeys.Total}
	for _, first := range periods {
		for _, second := range periods {
			t.Run(string(first)+" "+string(second), func(t *testing.T) {
				t.Parallel()
				a := answers{"llama": budgeted(100, first)}
				g, c := answered(a, nil)
				spent := func() {
					t.Helper()
					refused(t, g, apikeys.Need{Model: "llama", MaxTokens: 21}, fault.BudgetSpent)
				}
				use(t, g, "llama", 80)
				spent()
				for _, p := range []apikeys.Period{second, first} {
					c.Forward(time.Minute)
					a["llama"] = budgeted(100, p)
					spent()
				}
				use(t, g, "llama", 20)
				refused(t, g, apikeys.Need{Model: "llama", MaxTokens: 1}, fault.BudgetSpent)
			})
		}
	}
}

// Each period ends by itself, whichever answers came meanwhile.
func TestPeriodsOfAnswersEnd(t *testing.T) {
	t.Parallel()
	g, c := answered(answers{"d": daily(100), "m": budgeted(150, apikeys.Month)}, nil)
	use(t, g, "d", 100)
	refused(t, g, apikeys.Need{Model: "d", MaxTokens: 1}, fault.BudgetSpent)
	refused(t, g, apikeys.Need{Model: "m", MaxTokens: 51}, fault.BudgetSpent)
	c.Forward(24 * time.Hour)
	use(t, g, "free", 10) // counts for the day that it is in
	refused(t, g, apikeys.Need{Model: "d", MaxTokens: 91}, fault.BudgetSpent)
	use(t, g, "d", 40)
	refused(t, g, apikeys.Need{Model: "m", MaxTokens: 1}, fault.BudgetSpent)
	c.Set(dawn.AddDate(0, 1, 0))
	use(t, g, "m", 150)
}

// Counts that some answer had a budget for are saved, each with its period; a
// period that no answer had yet starts with what is known to be used in it.
func TestCountsOfAnswersSurviveARestart(t *testing.T) {
	t.Parallel()
	store := &memory{usage: map[string]apikeys.Usage{}}
	a := answers{"d": daily(100), "w": budgeted(1000, apikeys.Week), "m": budgeted(300, apikeys.Month)}
	first, c := answered(a, store)
	use(t, first, "free", 10)
	if err := first.Flush(t.Context()); err != nil || len(store.usage) != 0 {
		t.Fatalf("saved without a budget: %v %v", store.usage, err)
	}
	use(t, first, "d", 50)
	c.Forward(24 * time.Hour)
	use(t, first, "w", 5)
	use(t, first, "d", 20)
	admit(t, first, apikeys.Need{Model: "d", MaxTokens: 30}) // in progress at the end
	if err := first.Flush(t.Context()); err != nil || len(store.usage) != 2 {
		t.Fatalf("%v %v", store.usage, err)
	}

	second := apikeys.New(apikeys.Options{Decider: a, Store: store, Now: c.Now})
	if err := second.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, left := range []struct {
		model  string
		tokens inference.Tokens
	}{{"d", 45}, {"w", 885}, {"m", 185}} {
		refused(t, second, apikeys.Need{Model: left.model, MaxTokens: left.tokens + 1}, fault.BudgetSpent)
		admit(t, second, apikeys.Need{Model: left.model, MaxTokens: left.tokens}).Settle(inference.Usage{}, false)
	}
}
