package apikeys_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// A clock that was ahead, and is put right, keeps a key that has used its limits per
// minute waiting for two minutes, not for as long as the clock was ahead.
func TestLimitsOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	c := coretest.NewClock(dawn.AddDate(0, 0, 3))
	store := &memory{usage: map[string]apikeys.Usage{}}
	store.set(false, key("app", apikeys.Limits{RPM: 2, TPM: 100}))
	g := apikeys.New(apikeys.Options{Store: store, Now: c.Now})
	if err := g.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		admit(t, g, apikeys.Need{MaxTokens: 10}).Settle(inference.Usage{Completion: 10}, true)
	}
	c.Set(dawn)
	refused(t, g, apikeys.Need{MaxTokens: 10}, fault.RateLimited)
	c.Set(dawn.Add(62 * time.Second))
	admit(t, g, apikeys.Need{MaxTokens: 10}).Settle(inference.Usage{Completion: 10}, true)
	c.Set(dawn.Add(124 * time.Second))
	admit(t, g, apikeys.Need{MaxTokens: 100}).Settle(inference.Usage{Completion: 100}, true)
	refused(t, g, apikeys.Need{MaxTokens: 10}, fault.TokenRateLimited)
}

// A budget that was used while the clock was ahead is that of the present period, and the
// next period has one of its own.
func TestBudgetOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	for _, period := range []apikeys.Period{apikeys.Day, apikeys.Week, apikeys.Month} {
		t.Run(string(period), func(t *testing.T) {
			t.Parallel()
			c := coretest.NewClock(dawn.AddDate(1, 0, 0))
			store := &memory{usage: map[string]apikeys.Usage{}}
			store.set(false, key("app", apikeys.Limits{Budget: apikeys.Budget{Tokens: 100, Period: period}}))
			g := apikeys.New(apikeys.Options{Store: store, Now: c.Now})
			if err := g.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			admit(t, g, apikeys.Need{MaxTokens: 100}).Settle(inference.Usage{Completion: 100}, true)
			c.Set(dawn)
			refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			c.Set(dawn.Add(time.Hour))
			refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			c.Set(dawn.AddDate(0, 1, 0))
			admit(t, g, apikeys.Need{MaxTokens: 100})
		})
	}
}

// A clock that goes a period ahead and back opens no budget twice: what was used before it went
// counts when it has returned, at once and later. The next period has a budget of its own.
func TestAClockThatGoesAheadAndBackOpensNoSecondBudget(t *testing.T) {
	t.Parallel()
	for period, ahead := range map[apikeys.Period]int{apikeys.Day: 1, apikeys.Week: 7, apikeys.Month: 31} {
		t.Run(string(period), func(t *testing.T) {
			t.Parallel()
			c := coretest.NewClock(dawn)
			store := &memory{usage: map[string]apikeys.Usage{}}
			store.set(false, key("app", apikeys.Limits{Budget: apikeys.Budget{Tokens: 100, Period: period}}))
			g := apikeys.New(apikeys.Options{Store: store, Now: c.Now})
			if err := g.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			use := func(n int64) {
				t.Helper()
				admit(t, g, apikeys.Need{MaxTokens: inference.Tokens(n)}).Settle(inference.Usage{
					Completion: inference.Tokens(n)}, true)
			}
			use(90)
			c.Set(dawn.AddDate(0, 0, ahead))
			use(5)
			c.Set(dawn.Add(time.Second))
			refused(t, g, apikeys.Need{MaxTokens: 6}, fault.BudgetSpent)
			use(5)
			refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			c.Set(dawn.Add(time.Hour + 2*time.Second))
			refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			c.Set(dawn.AddDate(0, 0, ahead))
			use(100)
			// The clock is set back for a moment, across the beginning of the period: when it is
			// right again, only what was used in the period counts.
			c.Set(dawn.AddDate(0, 0, 2*ahead))
			use(50)
			c.Set(dawn.AddDate(0, 0, ahead))
			refused(t, g, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			c.Set(dawn.AddDate(0, 0, 2*ahead))
			use(50)
		})
	}
}

// A machine without a battery for its clock starts years behind and is corrected
// soon after. What was used in the period that it is in truth stays used.
func TestBudgetSurvivesAStartWithTheClockBehind(t *testing.T) {
	t.Parallel()
	for _, period := range []apikeys.Period{apikeys.Day, apikeys.Week, apikeys.Month, apikeys.Total} {
		t.Run(string(period), func(t *testing.T) {
			t.Parallel()
			store := &memory{usage: map[string]apikeys.Usage{}}
			store.set(false, key("app", apikeys.Limits{Budget: apikeys.Budget{Tokens: 100, Period: period}}))
			c := coretest.NewClock(dawn)
			start := func() *apikeys.Guard {
				g := apikeys.New(apikeys.Options{Store: store, Now: c.Now})
				if err := g.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				return g
			}
			save := func(g *apikeys.Guard) {
				if err := g.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			first := start()
			admit(t, first, apikeys.Need{MaxTokens: 90}).Settle(inference.Usage{Completion: 90}, true)
			save(first)

			c.Set(time.Unix(60, 0))
			second := start()
			admit(t, second, apikeys.Need{MaxTokens: 10}).Settle(inference.Usage{Completion: 10}, true)
			refused(t, second, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			save(second)
			c.Set(dawn.Add(time.Minute))
			refused(t, second, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
			save(second)
			refused(t, start(), apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)

			c.Set(dawn.AddDate(0, 1, 0)) // the next period, of every length
			if period == apikeys.Total {
				refused(t, second, apikeys.Need{MaxTokens: 1}, fault.BudgetSpent)
				return
			}
			admit(t, second, apikeys.Need{MaxTokens: 100})
		})
	}
}
