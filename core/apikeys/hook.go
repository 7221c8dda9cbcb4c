package apikeys

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

// How long the webhook's answers are valid, and limits of the answers, of their accounts and of
// concurrent calls.
const (
	admittedFor = time.Minute
	refusedFor  = 5 * time.Second
	maxAnswers  = 8192
	maxAccounts = 65536
	maxCalls    = 64
	// maxUnknownCalls bounds the concurrent calls about tokens that were never admitted, which any
	// client may send. maxWaiting bounds the requests that wait.
	maxUnknownCalls = 48
	maxWaiting      = 8192
)

// hook caches the webhook's decisions. Answers are cached by token, model and route, because the
// webhook sees all three, and limit the requests that get them; the use is counted by token.
type hook struct {
	decider Decider
	now     func() time.Time
	// restore gives a new account its saved counts.
	restore func(*account)
	// calls queues all calls, unknownCalls also those about tokens that were never admitted. Client
	// addresses, and admitted keys, take turns.
	calls, unknownCalls *fairqueue.Queue

	mu       sync.Mutex // guards what follows
	admitted map[question]answer
	refused  map[question]answer
	accounts map[Hash]*account
	waiting  map[question]chan struct{}
}

// question is the hash of what a decision depends on.
type question [sha256.Size]byte

// answer is a decision with its expiry: an account with the limits of such requests, or a refusal.
type answer struct {
	account *account
	key     *Key
	err     error
	until   time.Time
}

func newHook(d Decider, now func() time.Time, restore func(*account)) *hook {
	return &hook{
		decider: d, now: now, restore: restore,
		calls:        fairqueue.New(fairqueue.Options{Slots: maxCalls, MaxWaiting: maxWaiting}),
		unknownCalls: fairqueue.New(fairqueue.Options{Slots: maxUnknownCalls, MaxWaiting: maxWaiting}),
		admitted:     make(map[question]answer), refused: make(map[question]answer),
		accounts: make(map[Hash]*account), waiting: make(map[question]chan struct{}),
	}
}

func questionOf(hash Hash, need Need) question {
	text := append(hash[:len(hash):len(hash)], need.Model...)
	text = append(append(text, 0), need.Route...)
	return sha256.Sum256(text)
}

// account returns the account of a token that the webhook admits, and the limits of the request.
// Concurrent identical requests share one call.
func (h *hook) account(ctx context.Context, token string, hash Hash, need Need) (*account, *Key, error) {
	q := questionOf(hash, need)
	for {
		h.mu.Lock()
		if a, ok := h.rememberedLocked(q); ok {
			h.mu.Unlock()
			return a.account, a.key, a.err
		}
		done, busy := h.waiting[q]
		if !busy {
			done = make(chan struct{})
			h.waiting[q] = done
		}
		h.mu.Unlock()
		if !busy {
			return h.decide(ctx, q, token, hash, need)
		}
		select {
		case <-done: // check again: the request that called may have been canceled before the answer
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// rememberedLocked finds a decision that is still valid.
func (h *hook) rememberedLocked(q question) (answer, bool) {
	now := h.now()
	for _, answers := range []map[question]answer{h.admitted, h.refused} {
		if a, ok := answers[q]; ok {
			if now.Before(a.until) {
				return a, true
			}
			delete(answers, q)
		}
	}
	return answer{}, false
}

// decide calls the webhook, caches its answer and wakes the requests that wait for it.
func (h *hook) decide(ctx context.Context, q question, token string, hash Hash, need Need) (*account, *Key, error) {
	key, err := h.askWebhook(ctx, token, hash, need)
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(h.waiting[q])
	defer delete(h.waiting, q)
	if err != nil {
		if isDecision(err) {
			rememberAnswer(h.refused, q, answer{err: err, until: h.now().Add(refusedFor)})
		}
		return nil, nil, err
	}
	identify(&key, hash)
	a, err := h.openLocked(key, hash)
	if err != nil {
		return nil, nil, err
	}
	rememberAnswer(h.admitted, q, answer{account: a, key: &key, until: h.now().Add(admittedFor)})
	return a, &key, nil
}

// askWebhook calls the webhook within the limits of concurrent calls.
func (h *hook) askWebhook(ctx context.Context, token string, hash Hash, need Need) (Key, error) {
	party := "key " + hash.String()
	if !h.admittedBefore(hash) {
		party = "address " + need.From
		release, err := h.unknownCalls.Acquire(ctx, party)
		if err != nil {
			return Key{}, queueFault(err)
		}
		defer release()
	}
	release, err := h.calls.Acquire(ctx, party)
	if err != nil {
		return Key{}, queueFault(err)
	}
	defer release()
	return h.decider.Decide(ctx, token, need)
}

func queueFault(err error) error {
	if errors.Is(err, fairqueue.ErrFull) {
		return refuse(fault.KeyWebhookFailed, time.Second, "too many keys wait for the webhook")
	}
	return err
}

// admittedBefore reports whether the webhook admitted the token before.
func (h *hook) admittedBefore(hash Hash) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.accounts[hash] != nil
}

// isDecision reports whether err is the webhook's decision, not a failure to reach it.
func isDecision(err error) bool {
	switch fault.CodeOf(err) {
	case fault.KeyUnknown, fault.KeyDenied, fault.BudgetSpent, fault.RateLimited:
		return true
	}
	return false
}

// rememberAnswer adds an answer and drops an arbitrary one when the table is full.
func rememberAnswer(answers map[question]answer, q question, a answer) {
	if len(answers) >= maxAnswers {
		for other := range answers {
			delete(answers, other)
			break
		}
	}
	answers[q] = a
}

// identify sets the key's fields that the webhook's answers do not have.
func identify(key *Key, hash Hash) {
	key.Hash = hash
	short := hash.String()[:16]
	key.ID = "hook:" + short
	if key.Name == "" {
		key.Name = "hook-" + short[:8]
	}
}

// openLocked finds or makes the account of a token.
func (h *hook) openLocked(key Key, hash Hash) (*account, error) {
	if a := h.accounts[hash]; a != nil {
		a.change(key)
		return a, nil
	}
	if len(h.accounts) >= maxAccounts && !h.sweepLocked() {
		return nil, refuse(fault.KeyWebhookFailed, 0, "the webhook admitted more API keys than the gateway can count")
	}
	a := newShared(key, h.now)
	h.restore(a)
	h.accounts[hash] = a
	return a, nil
}

// sweepLocked drops accounts without use.
func (h *hook) sweepLocked() bool {
	swept := false
	for hash, a := range h.accounts {
		if a.idle() {
			delete(h.accounts, hash)
			swept = true
		}
	}
	clear(h.admitted) // answers may refer to dropped accounts
	return swept
}

func (h *hook) all() []*account {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*account, 0, len(h.accounts))
	for _, a := range h.accounts {
		all = append(all, a)
	}
	return all
}
