package apikeys

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Key is one API key without its secret.
type Key struct {
	// ID identifies the key for good, "k-1f3a…"; Name is its readable name, also in logs and
	// statistics. A name is free again after its key was revoked.
	ID   string
	Name string
	// Hash is what is kept of the secret.
	Hash Hash
	Limits
	// Expires is when it expires, zero for never.
	Expires time.Time
	// Revoked is when it was revoked, zero while it is valid.
	Revoked time.Time
	Created time.Time
}

// Limits are a key's limits. Zero values are unlimited.
type Limits struct {
	// Models are the permitted models: IDs, or prefixes of IDs that end in "*". Empty permits all.
	Models []string
	// RPM bounds the requests that are admitted in any 60 seconds.
	RPM int
	// TPM bounds the tokens of prompts and answers in any 60 seconds, counted when
	// a request is admitted.
	TPM inference.Tokens
	// Concurrency bounds the requests in progress.
	Concurrency int
	// Budget bounds the tokens of a period.
	Budget Budget
}

// Budget is an amount of tokens per period; the zero value does not limit.
type Budget struct {
	Tokens inference.Tokens
	Period Period
}

// period returns the budget's, Total where none is named.
func (b Budget) period() Period {
	if b.Period == "" {
		return Total
	}
	return b.Period
}

// Allows reports whether the limits allow a model.
func (l *Limits) Allows(model string) bool {
	if len(l.Models) == 0 {
		return true
	}
	for _, m := range l.Models {
		if beginning, open := strings.CutSuffix(m, "*"); m == model || open && strings.HasPrefix(model, beginning) {
			return true
		}
	}
	return false
}

// Usage is how much of a key was used in its current period.
type Usage struct {
	// ID is the key's.
	ID     string
	Period Period
	// Start is when the period began, zero for Total.
	Start time.Time
	// Used was settled; Reserved is what requests in progress may use at most.
	Used, Reserved inference.Tokens
	// Requests counts what was admitted in the period.
	Requests int64
}

// At returns the usage at a time: zero once its period is over, or if the budget is for another one. A
// clock that was set back does not bring the last period back.
func (u Usage) At(b Budget, now time.Time) Usage {
	period := b.period()
	start := period.start(now)
	if period == u.Period && !start.After(u.Start) {
		return u
	}
	return Usage{ID: u.ID, Period: period, Start: start, Reserved: u.Reserved}
}
