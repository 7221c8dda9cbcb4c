package apikeys_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// dawn is when these tests begin.
var dawn = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func key(name string, l apikeys.Limits) apikeys.Key {
	return apikeys.Key{ID: "k-" + name, Name: name, Hash: apikeys.HashOf("secret of " + name), Limits: l}
}

// one is a guard with one key, "app".
func one(l apikeys.Limits) (*apikeys.Guard, *coretest.Clock) {
	c := coretest.NewClock(dawn)
	return apikeys.New(apikeys.Options{Static: []apikeys.Key{key("app", l)}, Now: c.Now}), c
}

const secret = "secret of app"

func admit(t *testing.T, g *apikeys.Guard, need apikeys.Need) *apikeys.Grant {
	t.Helper()
	grant, err := g.Admit(t.Context(), secret, need)
	if err != nil {
		t.Fatal(err)
	}
	return grant
}

func refused(t *testing.T, g *apikeys.Guard, need apikeys.Need, want fault.Code) error {
	t.Helper()
	grant, err := g.Admit(t.Context(), secret, need)
	if fault.CodeOf(err) != want || grant != nil {
		t.Fatalf("got %v, want %s", err, want)
	}
	return err
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	c := coretest.NewClock(dawn)
	revoked, expired := key("revoked", apikeys.Limits{}), key("expired", apikeys.Limits{})
	revoked.Revoked = c.Now()
	expired.Expires = c.Now()
	narrow := key("narrow", apikeys.Limits{Models: []string{"llama", "qwen*"}})
	g := apikeys.New(apikeys.Options{Static: []apikeys.Key{revoked, expired, narrow}, Now: c.Now})
	tests := []struct {
		token, model string
		want         fault.Code
	}{
		{"", "llama", fault.KeyMissing},
		{"nonsense", "llama", fault.KeyUnknown},
		{"secret of revoked", "llama", fault.KeyRevoked},
		{"secret of expired", "llama", fault.KeyExpired},
		{"secret of narrow", "llama-2", fault.ModelNotAllowed},
		{"secret of narrow", "Llama", fault.ModelNotAllowed},
		{"secret of narrow", "qwe", fault.ModelNotAllowed},
		{"secret of narrow", "llama", fault.Unexpected},
		{"secret of narrow", "qwen", fault.Unexpected},
		{"secret of narrow", "qwen/3", fault.Unexpected},
		{"secret of narrow", "", fault.Unexpected},
	}
	for _, tt := range tests {
		grant, err := g.Admit(t.Context(), tt.token, apikeys.Need{Model: tt.model})
		switch {
		case tt.want == fault.Unexpected && (err != nil || grant.Key() != "narrow"):
			t.Errorf("%q %q: %v %v", tt.token, tt.model, grant.Key(), err)
		case tt.want != fault.Unexpected && fault.CodeOf(err) != tt.want:
			t.Errorf("%q %q: got %v, want %s", tt.token, tt.model, err, tt.want)
		}
		grant.Settle(inference.Usage{}, false)
	}
}

func TestOpenWithoutKeys(t *testing.T) {
	t.Parallel()
	g := apikeys.New(apikeys.Options{Now: coretest.NewClock(dawn).Now})
	grant, err := g.Admit(t.Context(), "anything", apikeys.Need{Model: "x"})
	if err != nil || g.Required() || grant.Key() != "" || !grant.Allows("x") || grant.Reach(1<<40) != nil {
		t.Errorf("%v %v", grant, err)
	}
	grant.Settle(inference.Usage{}, true)
	closed := apikeys.New(apikeys.Options{Closed: true, Now: coretest.NewClock(dawn).Now})
	if _, err := closed.Admit(t.Context(), "anything", apikeys.Need{}); !closed.Required() ||
		!errors.Is(err, fault.KeyUnknown) {
		t.Errorf("an empty key file opens the gateway: %v", err)
	}
}

// What Known refuses Admit refuses too, in the same words; the rest is Admit's.
func TestKnown(t *testing.T) {
	t.Parallel()
	c := coretest.NewClock(dawn)
	revoked, expired := key("revoked", apikeys.Limits{}), key("expired", apikeys.Limits{})
	revoked.Revoked = c.Now()
	expired.Expires = c.Now()
	narrow := key("narrow", apikeys.Limits{Models: []string{"llama"}, RPM: 1})
	list := []apikeys.Key{revoked, expired, narrow}
	tests := map[string]struct {
		guard apikeys.Options
		token string
		want  fault.Code
	}{
		"none":             {apikeys.Options{Static: list}, "", fault.KeyMissing},
		"stranger":         {apikeys.Options{Static: list}, "nonsense", fault.KeyUnknown},
		"revoked":          {apikeys.Options{Static: list}, "secret of revoked", fault.KeyRevoked},
		"expired":          {apikeys.Options{Static: list}, "secret of expired", fault.KeyExpired},
		"good":             {apikeys.Options{Static: list}, "secret of narrow", ""},
		"open":             {apikeys.Options{}, "nonsense", ""},
		"empty file":       {apikeys.Options{Closed: true}, "nonsense", fault.KeyUnknown},
		"webhook, none":    {apikeys.Options{Decider: &decider{}}, "", fault.KeyMissing},
		"webhook's":        {apikeys.Options{Decider: &decider{}}, "nonsense", ""},
		"webhook, revoked": {apikeys.Options{Static: list, Decider: &decider{}}, "secret of revoked", fault.KeyRevoked},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.guard.Now = c.Now
			g := apikeys.New(tt.guard)
			err := g.Known(tt.token)
			if tt.want != "" {
				_, other := g.Admit(t.Context(), tt.token, apikeys.Need{Model: "llama"})
				if fault.CodeOf(err) != tt.want || other == nil || err.Error() != other.Error() {
					t.Errorf("got %v, want %s; Admit says %v", err, tt.want, other)
				}
				return
			}
			for range 2 { // it takes nothing
				if err := g.Known(tt.token); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestRequestsPerMinute(t *testing.T) {
	t.Parallel()
	g, c := one(apikeys.Limits{RPM: 3})
	for range 3 {
		admit(t, g, apikeys.Need{}).Settle(inference.Usage{}, true)
		c.Forward(10 * time.Second)
	}
	err := refused(t, g, apikeys.Need{}, fault.RateLimited)
	after, ok := fault.RetryAfter(err)
	if !ok || after != 31*time.Second {
		t.Fatalf("come back after %v %v", after, ok)
	}
	c.Forward(after - time.Second)
	refused(t, g, apikeys.Need{}, fault.RateLimited)
	c.Forward(time.Second)
	admit(t, g, apikeys.Need{})
	refused(t, g, apikeys.Need{}, fault.RateLimited)
}

func TestTokensPerMinute(t *testing.T) {
	t.Parallel()
	g, c := one(apikeys.Limits{TPM: 1000})
	if _, ok := fault.RetryAfter(refused(t, g, apikeys.Need{MaxTokens: 1001}, fault.RequestAboveLimit)); ok {
		t.Error("a request over the limit by itself is told to come back")
	}
	first := admit(t, g, apikeys.Need{Prompt: 100, MaxTokens: 500})
	refused(t, g, apikeys.Need{Prompt: 1, MaxTokens: 400}, fault.TokenRateLimited)
	first.Settle(inference.Usage{Prompt: 80, Completion: 20}, true)
	admit(t, g, apikeys.Need{Prompt: 500, MaxTokens: 400})
	after, ok := fault.RetryAfter(refused(t, g, apikeys.Need{}, fault.TokenRateLimited))
	if !ok || after > time.Minute+time.Second {
		t.Fatal(after, ok)
	}
	c.Forward(after)
	admit(t, g, apikeys.Need{})
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	g, _ := one(apikeys.Limits{Concurrency: 2})
	first := admit(t, g, apikeys.Need{})
	admit(t, g, apikeys.Need{})
	if after, ok := fault.RetryAfter(refused(t, g, apikeys.Need{}, fault.ConcurrencyLimited)); !ok ||
		after != time.Second {
		t.Error(after, ok)
	}
	first.Settle(inference.Usage{}, false)
	first.Settle(inference.Usage{}, false) // only the first counts
	admit(t, g, apikeys.Need{})
	refused(t, g, apikeys.Need{}, fault.ConcurrencyLimited)
}

func TestBudget(t *testing.T) {
	t.Parallel()
	g, c := one(apikeys.Limits{Budget: apikeys.Budget{Tokens: 1000, Period: apikeys.Day}})
	first := admit(t, g, apikeys.Need{Prompt: 100, MaxTokens: 600})
	refused(t, g, apikeys.Need{Prompt: 100, MaxTokens: 201}, fault.BudgetSpent)
	second := admit(t, g, apikeys.Need{MaxTokens: apikeys.NoTokens, Prompt: 300})
	refused(t, g, apikeys.Need{Prompt: 1, MaxTokens: apikeys.NoTokens}, fault.BudgetSpent)
	first.Settle(inference.Usage{Prompt: 90, Completion: 10}, true)
	second.Settle(inference.Usage{}, false) // never answered
	if u := g.States()[0].Usage; u.Used != 100 || u.Reserved != 0 || u.Requests != 2 {
		t.Errorf("%+v", u)
	}
	admit(t, g, apikeys.Need{MaxTokens: 900})
	refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
	c.Set(time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC))
	admit(t, g, apikeys.Need{MaxTokens: 100}) // what is in progress still holds 900
	refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
}

func TestCharges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		usage    inference.Usage
		finished bool
		want     inference.Tokens
	}{
		{"told", inference.Usage{Prompt: 7, Completion: 8}, true, 15},
		{"more than asked for", inference.Usage{Prompt: 700, Completion: 800}, true, 300},
		{"without end", inference.Usage{Prompt: 1 << 62, Completion: 1 << 62}, true, 300},
		{"broken, more than asked for", inference.Usage{Completion: 800, Estimated: true}, false, 150},
		{"finished and not told", inference.Usage{}, true, 150},
		{"broken before the answer", inference.Usage{}, false, 0},
		{"broken, counted", inference.Usage{Completion: 20, Estimated: true}, false, 70},
		{"hostile", inference.Usage{Prompt: -5, Completion: -1 << 62}, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := one(apikeys.Limits{})
			admit(t, g, apikeys.Need{Prompt: 50, MaxPrompt: 200, MaxTokens: 100}).Settle(tt.usage, tt.finished)
			if u := g.States()[0].Usage; u.Used != tt.want || u.Reserved != 0 {
				t.Errorf("%+v, want %d", u, tt.want)
			}
		})
	}
}

// An answer without a bound is held to what is reserved where the key counts
// tokens that no other limit covers.
func TestHold(t *testing.T) {
	t.Parallel()
	budget := apikeys.Budget{Tokens: 10000, Period: apikeys.Day}
	for name, tt := range map[string]struct {
		limits         apikeys.Limits
		whole, watched inference.Tokens
	}{
		"no limit": {apikeys.Limits{RPM: 10, Concurrency: 10}, 0, 0},
		"budget":   {apikeys.Limits{Budget: budget}, 768, 0},
		"tokens":   {apikeys.Limits{TPM: 10000}, 768, 768},
		"both":     {apikeys.Limits{TPM: 10000, Budget: budget}, 768, 768},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := one(tt.limits)
			grant := admit(t, g, apikeys.Need{Answers: 3})
			if got := grant.Hold(false); got != tt.whole {
				t.Errorf("%d, want %d", got, tt.whole)
			}
			if got := grant.Hold(true); got != tt.watched {
				t.Errorf("watched: %d, want %d", got, tt.watched)
			}
		})
	}
}

// An answer without max_tokens takes from the budget as it grows, and has to
// end where nothing is left.
func TestReach(t *testing.T) {
	t.Parallel()
	g, _ := one(apikeys.Limits{Budget: apikeys.Budget{Tokens: 1000, Period: apikeys.Total}})
	grant := admit(t, g, apikeys.Need{})
	var written inference.Tokens
	for grant.Reach(written) == nil {
		written++
		if written > 2000 {
			t.Fatal("never told to end")
		}
	}
	if written != 1001 {
		t.Errorf("told to end at %d", written)
	}
	grant.Settle(inference.Usage{Completion: written}, false)
	if used := g.States()[0].Usage.Used; used > 1001 {
		t.Errorf("%d used", used)
	}
	if err := grant.Reach(5000); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// At 64 clients no limit lets one more in than it says.
func TestExactAmongManyClients(t *testing.T) {
	t.Parallel()
	const clients, each = 64, 50
	tests := []struct {
		name   string
		limits apikeys.Limits
		need   apikeys.Need
		want   int64
	}{
		{"requests", apikeys.Limits{RPM: 777}, apikeys.Need{MaxTokens: 1}, 777},
		{"tokens", apikeys.Limits{TPM: 7770}, apikeys.Need{Prompt: 3, MaxTokens: 7}, 777},
		{"budget", apikeys.Limits{Budget: apikeys.Budget{Tokens: 7775, Period: apikeys.Month}},
			apikeys.Need{Prompt: 3, MaxTokens: 7}, 777},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := one(tt.limits)
			var in atomic.Int64
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() {
					for range each {
						grant, err := g.Admit(context.Background(), secret, tt.need)
						if err == nil {
							in.Add(1)
							grant.Settle(inference.Usage{Prompt: tt.need.Prompt, Completion: tt.need.MaxTokens}, true)
						}
					}
				})
			}
			wg.Wait()
			if in.Load() != tt.want {
				t.Errorf("%d let in, want %d", in.Load(), tt.want)
			}
		})
	}
}

func TestConcurrencyAmongManyClients(t *testing.T) {
	t.Parallel()
	const most = 7
	g, _ := one(apikeys.Limits{Concurrency: most})
	var inside, over, in atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 200 {
				grant, err := g.Admit(context.Background(), secret, apikeys.Need{})
				if err != nil {
					continue
				}
				in.Add(1)
				if inside.Add(1) > most {
					over.Add(1)
				}
				inside.Add(-1)
				grant.Settle(inference.Usage{}, false)
			}
		})
	}
	wg.Wait()
	if over.Load() != 0 || in.Load() < 200 {
		t.Errorf("%d times over, %d let in", over.Load(), in.Load())
	}
	if s := g.States()[0]; s.InFlight != 0 || s.Usage.Reserved != 0 {
		t.Errorf("left behind: %+v", s)
	}
}

// A hundred streams at once, each writing until it has to end.
func TestStreamsNeverOverrunABudget(t *testing.T) {
	t.Parallel()
	const budget = 10000
	g, _ := one(apikeys.Limits{Budget: apikeys.Budget{Tokens: budget, Period: apikeys.Total}})
	var written atomic.Int64
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			grant, err := g.Admit(context.Background(), secret, apikeys.Need{MaxTokens: inference.Tokens(i%2) * 50})
			if err != nil {
				return
			}
			var mine inference.Tokens
			for mine < 1000 && grant.Reach(mine+1) == nil {
				mine++
			}
			written.Add(int64(mine))
			grant.Settle(inference.Usage{Completion: mine}, true)
		})
	}
	wg.Wait()
	if used := int64(g.States()[0].Usage.Used); written.Load() > budget || used != written.Load() {
		t.Errorf("%d written, %d booked of %d", written.Load(), used, budget)
	}
}
