package dashboard

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// apiKeys are a gateway's keys: one that has used most of its budget, and those that are made.
type apiKeys struct {
	mu   sync.Mutex
	made []adminapi.APIKey
	// rpm is the first one's limit.
	rpm int
}

func row(name, state string, rpm int) adminapi.APIKey {
	k := adminapi.APIKey{TodayWei: "20000000000", TodayUSD: "0", TodayRequests: 3}
	k.ID, k.Name, k.State, k.Models, k.RPM, k.Created = "k-"+name, name, state, []string{}, rpm, "2026-03-04T05:06:07Z"
	k.BudgetWei, k.BudgetUSD, k.Paid, k.Held, k.PaidUSD, k.Period = "0", "0", "0", "0", "0", "total"
	return k
}

func (a *apiKeys) List(context.Context) ([]adminapi.APIKey, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := row("app", "good", a.rpm)
	k.RowLimits.BudgetWei, k.RowLimits.Period, k.RowLimits.Alert = "100000000000", "month", 80
	k.RowUse = apikeys.RowUse{Paid: "85000000000", Held: "0", PaidUSD: "0", Requests: 1204, Percent: 85,
		LastUsed: "2026-03-04T05:06:07Z"}
	return append([]adminapi.APIKey{k}, a.made...), nil
}

func (a *apiKeys) Create(_ context.Context, in adminapi.APIKeyNew) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if in.Name == "app" {
		return "", fault.New(fault.KeyNameTaken, "create API key", "there is a key named \"app\"")
	}
	a.made = append(a.made, row(in.Name, "good", *in.RPM))
	return "tk-secret-of-" + in.Name, nil
}

func (a *apiKeys) Limit(_ context.Context, in adminapi.APIKeyChange) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if in.BudgetWei != nil || in.Alert != nil || in.RPM == nil {
		return fault.New(fault.KeyInvalid, "change API key", "only rpm was changed")
	}
	a.rpm = *in.RPM
	return nil
}

func (a *apiKeys) Revoke(_ context.Context, which string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.made {
		if a.made[i].ID == which {
			a.made[i].State = "revoked"
			return nil
		}
	}
	return fault.New(fault.KeyNotFound, "revoke API key", which)
}
