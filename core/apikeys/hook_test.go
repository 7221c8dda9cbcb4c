package apikeys_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// decider is a webhook that decides by the token's first word.
type decider struct {
	mu    sync.Mutex
	asked map[string]int
	// hold, if not nil, keeps answers back until it is closed; entered hears of
	// each question.
	hold    chan struct{}
	entered chan struct{}
}

func (d *decider) Decide(ctx context.Context, token string, need apikeys.Need) (apikeys.Key, error) {
	d.mu.Lock()
	if d.asked == nil {
		d.asked = make(map[string]int)
	}
	d.asked[token+" "+need.Model]++
	d.mu.Unlock()
	if d.hold != nil {
		d.entered <- struct{}{}
		select {
		case <-d.hold:
		case <-ctx.Done():
			return apikeys.Key{}, ctx.Err()
		}
	}
	word, _, _ := strings.Cut(token, " ")
	switch word {
	case "good":
		return apikeys.Key{Name: "team", Limits: apikeys.Limits{Models: []string{"llama"},
			Budget: apikeys.Budget{Tokens: 100, Period: apikeys.Day}}}, nil
	case "nameless":
		return apikeys.Key{}, nil
	case "denied":
		return apikeys.Key{}, fault.New(fault.KeyDenied, "", "")
	case "slow":
		return apikeys.Key{}, fault.After(fault.New(fault.RateLimited, "", ""), time.Minute)
	}
	return apikeys.Key{}, fault.New(fault.KeyWebhookFailed, "", "")
}

func (d *decider) times(question string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[question]
}

func hooked(d *decider, store apikeys.Store) (*apikeys.Guard, *coretest.Clock) {
	c := coretest.NewClock(dawn)
	return apikeys.New(apikeys.Options{Static: []apikeys.Key{key("app", apikeys.Limits{})}, Store: store, Decider: d,
		Now: c.Now}), c
}

func TestWebhookAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	d := &decider{}
	g, c := hooked(d, nil)
	ask := func(token, model string) error {
		grant, err := g.Admit(t.Context(), token, apikeys.Need{Model: model, MaxTokens: 10})
		grant.Settle(inference.Usage{}, false)
		return err
	}
	if err := ask(secret, "x"); err != nil || d.times(secret+" x") != 0 {
		t.Errorf("a listed key was asked about: %v", err)
	}
	for range 3 {
		if err := ask("good", "llama"); err != nil {
			t.Fatal(err)
		}
		if err := ask("good", "other"); !errors.Is(err, fault.ModelNotAllowed) {
			t.Fatal(err)
		}
		if err := ask("denied", "llama"); !errors.Is(err, fault.KeyDenied) {
			t.Fatal(err)
		}
		if err := ask("broken", "llama"); !errors.Is(err, fault.KeyWebhookFailed) {
			t.Fatal(err)
		}
		err := ask("slow", "llama")
		if after, _ := fault.RetryAfter(err); after != time.Minute {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]int{"good llama": 1, "good other": 1, "denied llama": 1, "slow llama": 1,
		"broken llama": 3} {
		if got := d.times(question); got != want {
			t.Errorf("%s: asked %d times, want %d", question, got, want)
		}
	}
	c.Forward(5 * time.Second)
	_, _ = ask("denied", "llama"), ask("good", "llama")
	if d.times("denied llama") != 2 || d.times("good llama") != 1 {
		t.Error("refusals hold for 5 s, admissions longer")
	}
	c.Forward(55 * time.Second)
	if _ = ask("good", "llama"); d.times("good llama") != 2 {
		t.Error("admissions hold for a minute")
	}
}

func TestWebhookKeysAreLimited(t *testing.T) {
	t.Parallel()
	g, c := hooked(&decider{}, nil)
	need := apikeys.Need{Model: "llama", MaxTokens: 60}
	grant, err := g.Admit(t.Context(), "good", need)
	if err != nil || grant.Key() != "team" || grant.Allows("other") {
		t.Fatal(grant.Key(), err)
	}
	c.Forward(2 * time.Minute) // another answer, the same account
	if _, err := g.Admit(t.Context(), "good", need); !errors.Is(err, fault.BudgetSpent) {
		t.Error(err)
	}
	if _, err := g.Admit(t.Context(), "good too", need); err != nil {
		t.Errorf("another token has a budget of its own: %v", err)
	}
	nameless, err := g.Admit(t.Context(), "nameless", need)
	if err != nil || !strings.HasPrefix(nameless.Key(), "hook-") {
		t.Error(nameless.Key(), err)
	}
}

// Requests that ask the same share one question; when the asking request leaves, another
// asks.
func TestWebhookIsAskedOnce(t *testing.T) {
	t.Parallel()
	d := &decider{hold: make(chan struct{}), entered: make(chan struct{}, 100)}
	g, _ := hooked(d, nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := g.Admit(ctx, "nameless", apikeys.Need{})
		left <- err
	}()
	<-d.entered
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := g.Admit(t.Context(), "nameless", apikeys.Need{}); err != nil {
				t.Error(err)
			}
		})
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-d.entered
	close(d.hold)
	wg.Wait()
	if n := d.times("nameless "); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// memory is a Store that can fail.
type memory struct {
	mu    sync.Mutex
	keys  []apikeys.Key
	usage map[string]apikeys.Usage
	fail  bool
}

func (m *memory) Load(context.Context) ([]apikeys.Key, []apikeys.Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		return nil, nil, fault.New(fault.KeyStoreFailed, "", "")
	}
	var usage []apikeys.Usage
	for _, u := range m.usage {
		usage = append(usage, u)
	}
	return m.keys, usage, nil
}

func (m *memory) SaveUsage(_ context.Context, usage []apikeys.Usage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		return fault.New(fault.KeyStoreFailed, "", "")
	}
	for _, u := range usage {
		m.usage[u.ID] = u
	}
	return nil
}

func (m *memory) set(fail bool, keys ...apikeys.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail, m.keys = fail, keys
}

// Budgets survive a restart, for keys of every source; what was in progress at a
// crash counts as used.
func TestCountsSurviveARestart(t *testing.T) {
	t.Parallel()
	budget := apikeys.Limits{Budget: apikeys.Budget{Tokens: 100, Period: apikeys.Day}}
	store := &memory{usage: map[string]apikeys.Usage{}, keys: []apikeys.Key{key("stored", budget)}}
	c := coretest.NewClock(dawn)
	start := func() *apikeys.Guard {
		g := apikeys.New(apikeys.Options{Static: []apikeys.Key{key("app", budget)}, Store: store, Decider: &decider{},
			Now: c.Now})
		if err := g.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		return g
	}
	tokens := []string{secret, "secret of stored", "good"}
	need := apikeys.Need{Model: "llama", MaxTokens: 30}
	first := start()
	for _, token := range tokens {
		done, err := first.Admit(t.Context(), token, need)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = first.Admit(t.Context(), token, need); err != nil { // in progress at the crash
			t.Fatal(err)
		}
		done.Settle(inference.Usage{Prompt: 5, Completion: 15}, true)
	}
	store.set(true, store.keys...)
	if err := first.Flush(t.Context()); !errors.Is(err, fault.KeyStoreFailed) {
		t.Fatal(err)
	}
	store.set(false, store.keys...)
	if err := first.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := start()
	for _, token := range tokens {
		if _, err := second.Admit(t.Context(), token, apikeys.Need{Model: "llama", MaxTokens: 51}); !errors.Is(err,
			fault.BudgetSpent) {
			t.Errorf("%s: %v", token, err)
		}
		if _, err := second.Admit(t.Context(), token, apikeys.Need{Model: "llama", MaxTokens: 50}); err != nil {
			t.Errorf("%s: %v", token, err)
		}
	}
	c.Forward(24 * time.Hour)
	third := start()
	for _, token := range tokens {
		if _, err := third.Admit(t.Context(), token, apikeys.Need{Model: "llama", MaxTokens: 100}); err != nil {
			t.Errorf("%s the next day: %v", token, err)
		}
	}
}

// Loading again changes what changed and keeps the counts.
func TestLoadAgain(t *testing.T) {
	t.Parallel()
	store := &memory{usage: map[string]apikeys.Usage{}}
	c := coretest.NewClock(dawn)
	g := apikeys.New(apikeys.Options{Store: store, Now: c.Now})
	load := func(want error) {
		t.Helper()
		if err := g.Load(t.Context()); !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	load(nil)
	if g.Required() {
		t.Error("an empty store closes the gateway")
	}
	k := key("app", apikeys.Limits{Concurrency: 1})
	store.set(false, k)
	load(nil)
	admit(t, g, apikeys.Need{})
	refused(t, g, apikeys.Need{}, fault.ConcurrencyLimited)
	k.Concurrency = 2
	store.set(false, k)
	load(nil)
	admit(t, g, apikeys.Need{})
	refused(t, g, apikeys.Need{}, fault.ConcurrencyLimited)
	store.set(true)
	load(fault.KeyStoreFailed)
	refused(t, g, apikeys.Need{}, fault.ConcurrencyLimited)
	k.Revoked = c.Now()
	store.set(false, k)
	load(nil)
	refused(t, g, apikeys.Need{}, fault.KeyRevoked)
	if !g.Required() {
		t.Error("revoking the last key opens the gateway")
	}
}
