package apikeys

import (
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
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
	// Admin: the key may make, change and revoke keys over HTTP, and sees what all of them use.
	Admin bool
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
	// Budget bounds the use of a period.
	Budget Budget
	// Alert is the part of a budget, in percent, from which on the operator is notified; 0 is never.
	Alert int
}

// Budget is what may be used per period, as tokens and as money; zero fields do not limit.
type Budget struct {
	Tokens inference.Tokens
	Wei    core.Wei
	USD    USD
	Period Period
}

// Limited reports whether anything is limited.
func (b Budget) Limited() bool { return b.Tokens > 0 || !b.Wei.IsZero() || !b.USD.IsZero() }

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
	// Paid is what the key's requests cost, Held what those in progress may cost. PaidUSD and HeldUSD are the same
	// in dollars, each at the rate of its time; what was paid without a known rate is not in them.
	Paid, Held       core.Wei
	PaidUSD, HeldUSD USD
	// Requests counts what was admitted in the period.
	Requests int64
	// Last is when a request was admitted last, in whole seconds, whatever the period; zero for never.
	Last time.Time
}

// At returns the usage at a time: zero once its period is over, or if the budget is for another one. A
// clock that was set back does not bring the last period back.
func (u Usage) At(b Budget, now time.Time) Usage {
	period := b.period()
	start := period.start(now)
	if period == u.Period && !start.After(u.Start) {
		return u
	}
	return Usage{ID: u.ID, Period: period, Start: start, Reserved: u.Reserved, Held: u.Held, HeldUSD: u.HeldUSD,
		Last: u.Last}
}

// String is the budget for people: "1000000 tokens, 0.5 USD per month".
func (b Budget) String() string {
	var parts []string
	if b.Tokens > 0 {
		parts = append(parts, strconv.FormatInt(int64(b.Tokens), 10)+" tokens")
	}
	if !b.Wei.IsZero() {
		parts = append(parts, b.Wei.String()+" wei")
	}
	if !b.USD.IsZero() {
		parts = append(parts, b.USD.String()+" USD")
	}
	switch {
	case len(parts) == 0:
		return "-"
	case b.period() == Total:
		return strings.Join(parts, ", ") + " in total"
	}
	return strings.Join(parts, ", ") + " per " + string(b.Period)
}
