package adminview

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// opKeys is the operation of the faults here.
const opKeys = "manage API keys"

// APIKeys are a gateway's API keys for the admin API.
type APIKeys struct {
	Keys *apikeystore.Authorizer
	Now  func() time.Time
	Rand io.Reader
}

// List returns the good keys first, by their names, and then the revoked ones.
func (k APIKeys) List(ctx context.Context) ([]adminapi.APIKey, error) {
	now := k.Now()
	today := apikeys.SpendDay(now)
	spent, err := k.Keys.Spend(ctx, apikeys.SpendQuery{From: today, To: today, By: []apikeys.SpendField{apikeys.ByKey}})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*apikeys.Spend, len(spent))
	for i := range spent {
		byID[spent[i].ID] = &spent[i]
	}
	var out []adminapi.APIKey
	for _, s := range k.Keys.States() {
		key := adminapi.APIKey{Row: apikeys.NewRow(s.Key, s.Usage, now), TodayWei: "0", TodayUSD: "0"}
		if t := byID[s.Key.ID]; t != nil {
			key.TodayRequests, key.TodayWei, key.TodayUSD = t.Requests, t.Paid.String(), t.USD.String()
		}
		out = append(out, key)
	}
	slices.SortFunc(out, func(a, b adminapi.APIKey) int {
		return cmp.Or(cmp.Compare(min(len(a.Revoked), 1), min(len(b.Revoked), 1)), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Create makes a key.
func (k APIKeys) Create(ctx context.Context, in adminapi.APIKeyNew) (string, error) {
	if in.Name == apikeys.OwnName {
		return "", fault.New(fault.KeyInvalid, opKeys, "name: self stands for the key of a request")
	}
	key := apikeys.Key{Name: in.Name}
	if err := changeOf(&in.APIKeyLimits).Apply(&key, k.Now()); err != nil {
		return "", err
	}
	_, secret, err := k.Keys.Store().Create(ctx, key, k.Now(), k.Rand)
	if err != nil {
		return "", err
	}
	_ = k.Keys.Load(ctx) // the gateway reads changes within a second anyway, and the secret must not be lost
	return secret, nil
}

// Limit changes a key's limits.
func (k APIKeys) Limit(ctx context.Context, in adminapi.APIKeyChange) error {
	_, err := k.Keys.Store().SetLimits(ctx, in.Key, k.Now(), func(key *apikeys.Key) error {
		return changeOf(&in.APIKeyLimits).Apply(key, k.Now())
	})
	if err != nil {
		return err
	}
	return k.Keys.Load(ctx)
}

// Revoke revokes a key.
func (k APIKeys) Revoke(ctx context.Context, which string) error {
	if _, err := k.Keys.Store().Revoke(ctx, which, k.Now()); err != nil {
		return err
	}
	return k.Keys.Load(ctx)
}

// changeOf translates a request.
func changeOf(in *adminapi.APIKeyLimits) *apikeys.Change {
	money := func(text *string) *json.Number {
		if text == nil {
			return nil
		}
		n := json.Number(*text)
		return &n
	}
	return &apikeys.Change{Models: in.Models, RPM: in.RPM, TPM: in.TPM, Concurrency: in.Concurrency, Budget: in.Budget,
		BudgetWei: money(in.BudgetWei), BudgetUSD: money(in.BudgetUSD), Alert: in.Alert, Period: in.Period,
		Expires: in.Expires, Admin: in.Admin}
}
