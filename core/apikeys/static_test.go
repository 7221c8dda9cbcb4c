package apikeys_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestSetStatic(t *testing.T) {
	t.Parallel()
	g, _ := one(apikeys.Limits{RPM: 2})
	need := apikeys.Need{Model: "m"}
	admit(t, g, need)
	g.SetStatic([]apikeys.Key{key("app", apikeys.Limits{RPM: 2}), key("other", apikeys.Limits{})})
	if _, err := g.Admit(t.Context(), "secret of other", need); err != nil {
		t.Errorf("the new key: %v", err)
	}
	admit(t, g, need)
	if _, err := g.Admit(t.Context(), secret, need); err == nil {
		t.Error("a key that stayed lost its counts")
	}
	g.SetStatic([]apikeys.Key{key("other", apikeys.Limits{})})
	refused(t, g, need, fault.KeyUnknown)
}

// A key that is taken out of the file and comes back, by a mistake in it, has its budget no second time. What its
// requests in progress use meanwhile counts, too.
func TestAKeyThatComesBackKeepsItsCounts(t *testing.T) {
	t.Parallel()
	store := &memory{usage: map[string]apikeys.Usage{}}
	app := key("app", apikeys.Limits{Budget: apikeys.Budget{Tokens: 100, Period: apikeys.Total}})
	g := apikeys.New(apikeys.Options{Store: store, Now: coretest.NewClock(dawn).Now, Static: []apikeys.Key{app},
		Closed: true})
	if err := g.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	need := apikeys.Need{Model: "m", MaxTokens: 40}
	admit(t, g, need).Settle(inference.Usage{Completion: 40}, true)
	late := admit(t, g, need)
	g.SetStatic(nil)
	refused(t, g, need, fault.KeyUnknown)
	late.Settle(inference.Usage{Completion: 40}, true)
	if n := len(g.States()); n != 0 {
		t.Errorf("%d keys are shown, and there is none", n)
	}
	if err := g.Flush(t.Context()); err != nil || store.usage[app.ID].Used != 80 {
		t.Errorf("%+v is saved, %v", store.usage[app.ID], err)
	}
	g.SetStatic([]apikeys.Key{app})
	refused(t, g, need, fault.BudgetSpent)
	if err := g.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, g, need, fault.BudgetSpent)
}
