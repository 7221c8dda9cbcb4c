package apikeys

import (
	"math/big"
	"sync"
	"sync/atomic"
	"time"

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
	// growing are the requests in progress that may take more than they reserved.
	growing int
	counts  []count
	// futureSince is since when the period of a count begins in the future, zero where
	// none does.
	futureSince time.Time
	// leaving: another process has the counts; pool is what its requests in progress may still take from the budget.
	leaving bool
	pool    inference.Tokens
	// dirty: the counts changed since they were last saved.
	dirty bool
	// weiPerUSD is the present rate, see Options.
	weiPerUSD func(needed bool) (*big.Rat, bool)
}

// ticket is what one request holds of an account.
type ticket struct {
	// key is the webhook's answer for the request, nil for a listed key.
	key *Key
	// prompt was reserved for the prompt, bound for the answer, work for what has no
	// tokens; see Grant.Reserve.
	prompt, work inference.Tokens
	bound        atomic.Int64
	// billed is what the gateway pays; see Grant.SetBilled.
	billed inference.Units
	// maxPrompt is an upper bound of the prompt, 0 if unknown.
	maxPrompt inference.Tokens
	// second is when the tokens were counted in the account's window, -1 if they were not.
	second  int64
	settled bool
	// grows: the answer may take more than was reserved.
	grows bool
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

// terms returns the limits of a request, given the webhook's answer for it.
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
	if a.leaving {
		return nil, errLeft()
	}
	a.keep(k.Budget)
	if err := k.usable(now, need.Model); err != nil {
		return nil, err
	}
	if err := a.checkLimits(k, now, &w); err != nil {
		return nil, err
	}
	g := a.take(k, now, &w)
	g.ticket.key, g.ticket.maxPrompt = answer, bounded(need.MaxPrompt)
	if g.ticket.grows = need.MaxTokens == 0; g.ticket.grows {
		a.growing++
	}
	return g, nil
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
		a.counts[i].Last = now.UTC().Truncate(time.Second)
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
			a.counts[i].saved = a.counts[i].Usage
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

// state returns the key and its use of the present period, also where no request has come in it.
func (a *account) state() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.startPeriods(a.now())
	return State{Key: a.key, Usage: a.count(a.key.Budget).Usage, InFlight: a.inFlight}
}

// idle reports whether nothing would be lost with the account.
func (a *account) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	a.startPeriods(now)
	for i := range a.counts {
		if c := &a.counts[i]; c.kept && (c.Used > 0 || !c.Paid.IsZero()) {
			return false
		}
	}
	return a.inFlight == 0 && !a.dirty && a.requests.idle(now) && a.tokens.idle(now)
}
