package apikeystore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Spent records what a request cost. It is saved within about a second.
func (k *Authorizer) Spent(s *apikeys.Spend) { k.pending.Add(s) }

// save saves counts and spend. What could not be saved is saved with the next call.
func (k *Authorizer) save(ctx context.Context) error {
	return errors.Join(k.Flush(ctx), k.saveSpend(ctx))
}

func (k *Authorizer) saveSpend(ctx context.Context) error {
	list := k.pending.Take()
	if len(list) == 0 {
		return nil
	}
	err := k.store.AddSpend(ctx, list)
	if err != nil {
		for i := range list {
			k.pending.Add(&list[i])
		}
	}
	return err
}

// Spend returns what was spent until now, as a query asks.
func (k *Authorizer) Spend(ctx context.Context, q apikeys.SpendQuery) ([]apikeys.Spend, error) {
	if err := k.saveSpend(ctx); err != nil {
		return nil, err
	}
	return k.store.Spend(ctx, q)
}

// maxAlerts bounds the keys that are shown at once.
const maxAlerts = 100

// reportAlerts sets and clears the conditions of keys that used most of their budgets.
func (k *Authorizer) reportAlerts() {
	if k.opt.Board == nil {
		return
	}
	now := make(map[string]bool)
	states := k.States()
	// The same keys each time, where there are more than are shown.
	slices.SortFunc(states, func(a, b apikeys.State) int { return cmp.Compare(a.Key.Name, b.Key.Name) })
	for _, s := range states {
		percent, at := s.Percent(), s.Key.Alert
		if at == 0 || percent < at || !s.Key.Revoked.IsZero() || len(now) >= maxAlerts {
			continue
		}
		now[s.Key.Name] = true
		used := fmt.Sprintf("%d %% or more", at)
		if percent >= 100 {
			used = "all"
		}
		k.opt.Board.Set(alertOf(s.Key.Name), fmt.Sprintf("the API key %s has used %s of its budget (%s)", s.Key.Name, used,
			s.Key.Budget))
	}
	for name := range k.alerts {
		if !now[name] {
			k.opt.Board.Clear(alertOf(name))
		}
	}
	k.alerts = now
}

// alertOf is a key's condition.
func alertOf(name string) health.Key { return health.Key{Code: fault.BudgetAlert, About: name} }
