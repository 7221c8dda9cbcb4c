package keys

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// busyRetry is when to come back after too many requests in progress: how long
// one of them takes is not known.
const busyRetry = time.Second

// account is one key and what is used of it. One lock per key makes all of its
// limits one decision; keys do not wait for one another.
type account struct {
	now func() time.Time

	mu       sync.Mutex
	key      Key
	requests window
	tokens   window
	inFlight int
	usage    Usage
	// dirty: the usage changed since it was last saved.
	dirty bool
}

// ticket is what one request holds of an account.
type ticket struct {
	// prompt was reserved for the prompt, bound for the answer.
	prompt inference.Tokens
	bound  atomic.Int64
	// second is when the tokens were counted in the account's window, -1 if they
	// were not.
	second  int64
	settled bool
}

// newAccount opens an account of which nothing is used.
func newAccount(key Key, now func() time.Time) *account {
	return &account{now: now, key: key, usage: Usage{ID: key.ID}}
}

// restore adds what was used before the process began.
func (a *account) restore(u Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn(a.now())
	if u.Period != a.usage.Period || u.Start.Before(a.usage.Start) {
		return
	}
	// A clock that is behind, as before its first correction, would end the period
	// with the correction. The saved count knows when its period began.
	if u.Start.After(a.usage.Start) {
		a.usage.Start = u.Start
	}
	// What was reserved when the counts were saved belongs to requests whose end
	// nobody saw. Taking it as used keeps the budget true after a crash.
	a.usage.Used += u.Used + u.Reserved
	a.usage.Requests += u.Requests
	a.dirty = u.Reserved > 0
}

// change replaces the key's properties; what is used stays.
func (a *account) change(key Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key = key
}

func (a *account) allows(model string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key.Allows(model)
}

// admit takes a request from the limits, all of them or none.
func (a *account) admit(need Need, fallback inference.Tokens) (*Grant, error) {
	prompt, completion := need.reservation(fallback)
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.turn(now)
	if err := a.usable(now, need.Model); err != nil {
		return nil, err
	}
	if err := a.room(now, prompt+completion); err != nil {
		return nil, err
	}
	return a.take(now, prompt, completion), nil
}

// turn begins a new period where one has begun.
func (a *account) turn(now time.Time) {
	if u := a.usage.At(a.key.Budget, now); u != a.usage {
		a.dirty = a.dirty || a.usage.Requests > 0
		a.usage = u
	}
}

// usable reports whether the key is good, and good for the model.
func (a *account) usable(now time.Time, model string) error {
	k := &a.key
	switch {
	case !k.Revoked.IsZero():
		return refuse(fault.KeyRevoked, 0, "this API key was revoked")
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return refuse(fault.KeyExpired, 0, "this API key expired on "+k.Expires.UTC().Format(time.RFC3339))
	case model != "" && !k.Allows(model):
		return refuse(fault.ModelNotAllowed, 0, fmt.Sprintf("this API key is not for the model %q", model))
	}
	return nil
}

// room reports whether every limit has room for one request of so many tokens.
// What waiting does not cure is said first.
func (a *account) room(now time.Time, tokens inference.Tokens) error {
	l := &a.key.Limits
	if left, limited := a.left(); limited && tokens > left {
		return refuse(fault.BudgetSpent, 0, a.spent(tokens, left))
	}
	if l.Concurrency > 0 && a.inFlight >= l.Concurrency {
		return refuse(fault.ConcurrencyLimited, busyRetry, fmt.Sprintf("%d of %d requests in progress", a.inFlight, l.Concurrency))
	}
	if l.RPM > 0 {
		if ok, wait := a.requests.fits(now, int64(l.RPM), 1); !ok {
			return refuse(fault.RateLimited, wait, fmt.Sprintf("this API key may send %d requests per minute", l.RPM))
		}
	}
	if l.TPM > 0 {
		if ok, wait := a.tokens.fits(now, int64(l.TPM), int64(tokens)); !ok {
			detail := fmt.Sprintf("this API key may use %d tokens per minute, and the request asks for up to %d", l.TPM, tokens)
			return refuse(fault.TokenRateLimited, wait, detail)
		}
	}
	return nil
}

// left is what remains of the budget; false without one.
func (a *account) left() (inference.Tokens, bool) {
	budget := a.key.Budget.Tokens
	return budget - a.usage.Used - a.usage.Reserved, budget > 0
}

// spent is the public text of a spent budget.
func (a *account) spent(tokens, left inference.Tokens) string {
	text := fmt.Sprintf("the request asks for up to %d tokens, and %d are left of this API key's budget of %d", tokens, max(left, 0), a.key.Budget.Tokens)
	if a.usage.Reserved > 0 {
		text += fmt.Sprintf(" (%d are held by requests in progress)", a.usage.Reserved)
	}
	if end := a.usage.Period.end(a.usage.Start); !end.IsZero() {
		text += "; the next " + string(a.usage.Period) + " begins at " + end.Format(time.RFC3339)
	}
	return text
}

// take books a request that is let in.
func (a *account) take(now time.Time, prompt, completion inference.Tokens) *Grant {
	g := &Grant{account: a, name: a.key.Name}
	g.ticket.prompt, g.ticket.second = prompt, -1
	g.ticket.bound.Store(int64(completion))
	if a.key.RPM > 0 {
		a.requests.add(now.Unix(), 1)
	}
	if a.key.TPM > 0 {
		g.ticket.second = a.tokens.add(now.Unix(), int64(prompt+completion))
	}
	a.inFlight++
	a.usage.Requests++
	a.usage.Reserved += prompt + completion
	a.dirty = true
	return g
}

// clean returns the usage if it changed since the last call.
func (a *account) clean() (Usage, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	dirty := a.dirty
	a.dirty = false
	return a.usage, dirty
}

// soil has the usage saved again.
func (a *account) soil() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirty = true
}

func (a *account) state() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return State{Key: a.key, Usage: a.usage, InFlight: a.inFlight}
}

// idle reports whether nothing would be lost with the account.
func (a *account) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	return a.inFlight == 0 && !a.dirty && a.key.Budget.Tokens == 0 && a.requests.idle(now) && a.tokens.idle(now)
}
