package apikeys

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// busyRetry is the Retry-After of too many requests in progress: their duration is unknown.
const busyRetry = time.Second

// account is one key and its use. One lock per key makes all of its limits one decision; keys do
// not wait for one another.
//
// A listed key has the limits of key. A key that the webhook admits has the limits of the answer
// that a request got: answers differ by model and route, all at the same time. The use is counted
// together, and each answer's limits are compared with it; key is then the last answer, for
// reports.
type account struct {
	now func() time.Time

	mu       sync.Mutex
	key      Key
	requests window
	tokens   window
	inFlight int
	counts   []count
	// futureSince is since when the period of a count begins in the future, zero where
	// none does.
	futureSince time.Time
	// dirty: the counts changed since they were last saved.
	dirty bool
}

// ticket is what one request holds of an account.
type ticket struct {
	// key is the webhook's answer for the request, nil for a listed key.
	key *Key
	// prompt was reserved for the prompt, bound for the answer, work for what has no
	// tokens; see Grant.Reserve.
	prompt, work inference.Tokens
	bound        atomic.Int64
	// billed is what the gateway pays; see Grant.Bill.
	billed inference.Units
	// maxPrompt is an upper bound of the prompt, 0 if unknown.
	maxPrompt inference.Tokens
	// second is when the tokens were counted in the account's window, -1 if they were not.
	second  int64
	settled bool
}

// newAccount makes an account without use.
func newAccount(key Key, now func() time.Time) *account {
	return &account{now: now, key: key, counts: ownCount(key.ID)}
}

// newShared makes an account for the webhook's answers about one token.
func newShared(key Key, now func() time.Time) *account {
	return &account{now: now, key: key, counts: countsPerPeriod(key.ID)}
}

// change replaces the key's properties; what is used stays.
func (a *account) change(key Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key = key
}

// terms are the limits of a request, given the webhook's answer for it.
func (a *account) terms(answer *Key) *Key {
	if answer != nil {
		return answer
	}
	return &a.key
}

func (a *account) allows(t *ticket, model string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.terms(t.key).Allows(model)
}

// admit takes a request from the limits, all of them or none. The limits are the webhook's answer,
// or those of the account's own key if that is nil.
func (a *account) admit(answer *Key, need Need, fallback inference.Tokens) (*Grant, error) {
	w := need.reservation(fallback)
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.startPeriods(now)
	k := a.terms(answer)
	a.keep(k.Budget)
	if err := k.usable(now, need.Model); err != nil {
		return nil, err
	}
	if err := a.checkLimits(k, now, &w); err != nil {
		return nil, err
	}
	g := a.take(k, now, &w)
	g.ticket.key, g.ticket.maxPrompt = answer, bounded(need.MaxPrompt)
	return g, nil
}

// checkKey checks whether a listed key is valid at all.
func (a *account) checkKey() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key.usable(a.now(), "")
}

// usable checks whether the key is valid, and permits the model.
func (k *Key) usable(now time.Time, model string) error {
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

// checkLimits checks whether every limit of k admits one more request. Limits that waiting does not
// lift are reported first.
func (a *account) checkLimits(k *Key, now time.Time, w *reservation) error {
	l := &k.Limits
	if err := w.within(l); err != nil {
		return err
	}
	if err := a.budgeted(l.Budget, w.all()); err != nil {
		return err
	}
	if l.Concurrency > 0 && a.inFlight >= l.Concurrency {
		return refuse(fault.ConcurrencyLimited, busyRetry,
			fmt.Sprintf("%d of %d requests in progress", a.inFlight, l.Concurrency))
	}
	if l.RPM > 0 {
		if ok, wait := a.requests.fits(now, int64(l.RPM), 1); !ok {
			return refuse(fault.RateLimited, wait, fmt.Sprintf("this API key may send %d requests per minute", l.RPM))
		}
	}
	if l.TPM > 0 {
		if ok, wait := a.tokens.fits(now, int64(l.TPM), int64(w.tokens())); !ok {
			detail := fmt.Sprintf("this API key may use %d tokens per minute, and the request asks for up to %d", l.TPM,
				w.tokens())
			return refuse(fault.TokenRateLimited, wait, detail)
		}
	}
	return nil
}

// budgeted checks whether n tokens are left of a budget.
func (a *account) budgeted(b Budget, n inference.Tokens) error {
	if left, limited := a.left(b); limited && n > left {
		return refuse(fault.BudgetSpent, 0, a.spentText(b, n, left))
	}
	return nil
}

// spentText is the public text of a spent budget.
func (a *account) spentText(b Budget, n, left inference.Tokens) string {
	c := a.count(b)
	text := fmt.Sprintf("the request asks for up to %d, and %d are left of this API key's budget of %d", n, max(left, 0),
		b.Tokens)
	if c.Reserved > 0 {
		text += fmt.Sprintf(" (%d are held by requests in progress)", c.Reserved)
	}
	if end := c.Period.end(c.Start); !end.IsZero() {
		text += "; the next " + string(c.Period) + " begins at " + end.Format(time.RFC3339)
	}
	return text
}

// take counts a request that k admitted.
func (a *account) take(k *Key, now time.Time, w *reservation) *Grant {
	g := &Grant{account: a, name: k.Name}
	g.ticket.prompt, g.ticket.second = w.prompt, -1
	g.ticket.bound.Store(int64(w.completion))
	if k.RPM > 0 {
		a.requests.add(now.Unix(), 1)
	}
	if k.TPM > 0 {
		g.ticket.second = a.tokens.add(now.Unix(), int64(w.tokens()))
	}
	a.inFlight++
	for i := range a.counts {
		a.counts[i].Requests++
	}
	a.reserve(w.all())
	return g
}

// takeChanged appends the counts to be saved, if they changed since the last call.
func (a *account) takeChanged(usage []Usage) ([]Usage, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.dirty {
		return usage, false
	}
	a.dirty = false
	for i := range a.counts {
		if a.counts[i].kept {
			usage = append(usage, a.counts[i].Usage)
		}
	}
	return usage, true
}

// markDirty makes the next call return the counts again.
func (a *account) markDirty() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirty = true
}

func (a *account) state() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return State{Key: a.key, Usage: a.count(a.key.Budget).Usage, InFlight: a.inFlight}
}

// idle reports whether nothing would be lost with the account.
func (a *account) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.startPeriods(now)
	for i := range a.counts {
		if c := &a.counts[i]; c.kept && c.Used > 0 {
			return false
		}
	}
	return a.inFlight == 0 && !a.dirty && a.requests.idle(now) && a.tokens.idle(now)
}
