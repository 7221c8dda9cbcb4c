package apikeys_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// TestHandOver: whatever requests do in a process that another one took over from, that one's count of what they use
// is never below what both have used, so that a budget holds, and in the end it is exactly that.
func TestHandOver(t *testing.T) {
	t.Parallel()
	const budget = 10_000
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		clock := coretest.NewClock(dawn)
		store := &memory{usage: make(map[string]apikeys.Usage)}
		key := apikeys.Key{ID: "k-1", Name: "app", Hash: apikeys.HashOf("token"), Limits: apikeys.Limits{
			Budget: apikeys.Budget{Tokens: budget, Wei: core.NewWei(1_000_000), Period: apikeys.Day}}}
		open := func() *apikeys.Guard {
			g := apikeys.New(apikeys.Options{Static: []apikeys.Key{key}, Store: store, Now: clock.Now})
			if err := g.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			return g
		}
		old := open()
		var grants []*apikeys.Grant
		var ends []func()
		var wantTokens inference.Tokens
		var wantWei uint64
		for range 1 + random.IntN(5) {
			need := apikeys.Need{Prompt: 10, MaxTokens: inference.Tokens(random.IntN(2) * (1 + random.IntN(500)))}
			grant, err := old.Admit(t.Context(), "token", need)
			if err != nil {
				t.Fatal(err)
			}
			bill := apikeys.NewBill(grant)
			held := uint64(random.IntN(1000))
			pay, err := bill.Hold(core.NewWei(held))
			if err != nil {
				t.Fatal(err)
			}
			spent := uint64(random.IntN(int(held) + 1))
			grants, wantWei = append(grants, grant), wantWei+spent
			ends = append(ends, func() { pay(core.NewWei(spent), false) })
		}
		old.HandOver()
		if err := old.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := open()
		if _, err := old.Admit(t.Context(), "token", apikeys.Need{MaxTokens: 1}); !errors.Is(err, fault.Draining) {
			t.Fatal("the old process admits a request:", err)
		}
		for i, grant := range grants {
			completion := inference.Tokens(random.IntN(400))
			for completion > 0 && grant.Reach(completion) != nil {
				completion--
			}
			if random.IntN(2) == 0 {
				next.Apply(old.TakeLate())
			}
			state, _ := next.State("token")
			if used := state.Usage.Used + state.Usage.Reserved; used < wantTokens+completion || used > budget {
				t.Fatalf("seed %d: %d tokens are counted, %d were used", seed, used, wantTokens+completion)
			}
			grant.Settle(inference.Usage{Prompt: 7, Completion: completion}, true)
			ends[i]()
			state, _ = old.State("token")
			wantTokens = state.Usage.Used
		}
		next.Apply(old.TakeLate())
		state, _ := next.State("token")
		if u := state.Usage; u.Used != wantTokens || u.Reserved != 0 || u.Paid.Cmp(core.NewWei(wantWei)) != 0 ||
			!u.Held.IsZero() {
			t.Fatalf("seed %d: %+v, want %d tokens and %d wei", seed, u, wantTokens, wantWei)
		}
	}
}
