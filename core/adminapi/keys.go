package adminapi

import "github.com/tuttinode/tutti/core/apikeys"

// The paths of a gateway's API keys.
const (
	PathKeys = Prefix + "/keys"
	// PathKeyCreate takes an APIKeyNew, PathKeyLimits an APIKeyChange, PathKeyRevoke an APIKeyName.
	PathKeyCreate = Prefix + "/keys/create"
	PathKeyLimits = Prefix + "/keys/limits"
	PathKeyRevoke = Prefix + "/keys/revoke"
)

// APIKey is a key of a gateway's clients, its limits, and what it used in its period and today.
type APIKey struct {
	apikeys.Row
	// TodayRequests are those that ended today (UTC) and were sent to an orchestrator, TodayWei and TodayUSD what they
	// cost.
	TodayRequests int64  `json:"today_requests"`
	TodayWei      string `json:"today_wei"`
	TodayUSD      string `json:"today_usd"`
}

// APIKeys are all keys that the gateway itself has, those of the key file included. Secret is only in the answer that
// makes a key, and is not stored.
type APIKeys struct {
	Keys   []APIKey `json:"keys"`
	Secret string   `json:"secret,omitempty"`
}

// APIKeyName is the name or ID of a key.
type APIKeyName struct {
	Key string `json:"key"`
}

// APIKeyLimits are limits that are changed; what is left out stays. 0 and [] are no limit. Money is a text.
type APIKeyLimits struct {
	Models      *[]string `json:"models,omitempty"`
	RPM         *int      `json:"rpm,omitempty"`
	TPM         *int64    `json:"tpm,omitempty"`
	Concurrency *int      `json:"concurrency,omitempty"`
	Budget      *int64    `json:"budget,omitempty"`
	BudgetWei   *string   `json:"budget_wei,omitempty"`
	BudgetUSD   *string   `json:"budget_usd,omitempty"`
	Alert       *int      `json:"alert,omitempty"`
	// Period is day, week, month or total.
	Period *string `json:"period,omitempty"`
	// Expires is a day, a time, a duration such as 90d, or never.
	Expires *string `json:"expires,omitempty"`
	Admin   *bool   `json:"admin,omitempty"`
}

// APIKeyNew is a key that is made.
type APIKeyNew struct {
	Name string `json:"name"`
	APIKeyLimits
}

// APIKeyChange changes a key by its name or ID.
type APIKeyChange struct {
	Key string `json:"key"`
	APIKeyLimits
}
