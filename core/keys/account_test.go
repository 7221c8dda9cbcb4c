package keys_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/coretest"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/keys"
)

// A machine without a battery for its clock starts years behind and is corrected
// soon after. What was used in the period that it is in truth stays used.
func TestBudgetSurvivesAStartWithTheClockBehind(t *testing.T) {
	t.Parallel()
	for _, period := range []keys.Period{keys.Day, keys.Week, keys.Month, keys.Total} {
		t.Run(string(period), func(t *testing.T) {
			t.Parallel()
			store := &memory{usage: map[string]keys.Usage{}}
			store.set(false, key("app", keys.Limits{Budget: keys.Budget{Tokens: 100, Period: period}}))
			c := coretest.NewClock(dawn)
			start := func() *keys.Guard {
				g := keys.New(keys.Options{Store: store, Now: c.Now})
				if err := g.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				return g
			}
			save := func(g *keys.Guard) {
				if err := g.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			first := start()
			admit(t, first, keys.Need{MaxTokens: 90}).Settle(inference.Usage{Completion: 90}, true)
			save(first)

			c.Set(time.Unix(60, 0))
			second := start()
			admit(t, second, keys.Need{MaxTokens: 10}).Settle(inference.Usage{Completion: 10}, true)
			refused(t, second, keys.Need{MaxTokens: 1}, fault.BudgetSpent)
			save(second)
			c.Set(dawn.Add(time.Minute))
			refused(t, second, keys.Need{MaxTokens: 1}, fault.BudgetSpent)
			save(second)
			refused(t, start(), keys.Need{MaxTokens: 1}, fault.BudgetSpent)

			c.Set(dawn.AddDate(0, 1, 0)) // the next period, of every length
			if period == keys.Total {
				refused(t, second, keys.Need{MaxTokens: 1}, fault.BudgetSpent)
				return
			}
			admit(t, second, keys.Need{MaxTokens: 100})
		})
	}
}
