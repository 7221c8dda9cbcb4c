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

// How long the webhook's answers hold, and how many of them, of the keys behind
// them and of questions at a time there may be.
const (
	admittedFor  = time.Minute
	refusedFor   = 5 * time.Second
	mostAnswers  = 8192
	mostAccounts = 65536
	mostAsking   = 64
	// mostStrange is how many of the questions are about tokens that were never admitted:
	// everyone may send such ones. mostWaiting bounds those that wait.
	mostStrange = 48
	mostWaiting = 8192
)

// hook remembers what the webhook decided. Answers are remembered by token, model
// and route, because the webhook sees all three, and limit the requests that get
// them; what is used is counted by token.
type hook struct {
	decider Decider
	now     func() time.Time
	// opened gives a new account what was counted before.
	opened func(*account)
	// asking are the questions in progress, strange those of them about tokens that were
	// never admitted. Addresses, and keys that were admitted, take turns.
	asking, strange *fairqueue.Queue

	mu       sync.Mutex // guards what follows
	admitted map[question]answer
	refused  map[question]answer
	accounts map[Hash]*account
	waiting  map[question]chan struct{}
}

// question is the hash of what decides.
type question [sha256.Size]byte

// answer is a decision and until when it holds: an account and the limits of who
// asks so, or a refusal.
type answer struct {
	account *account
	key     *Key
	err     error
	until   time.Time
}

func newHook(d Decider, now func() time.Time, opened func(*account)) *hook {
	return &hook{
		decider: d, now: now, opened: opened,
		asking:   fairqueue.New(fairqueue.Options{Slots: mostAsking, MaxWaiting: mostWaiting}),
		strange:  fairqueue.New(fairqueue.Options{Slots: mostStrange, MaxWaiting: mostWaiting}),
		admitted: make(map[question]answer), refused: make(map[question]answer),
		accounts: make(map[Hash]*account), waiting: make(map[question]chan struct{}),
	}
}

func ask(hash Hash, need Need) question {
	text := append(hash[:len(hash):len(hash)], need.Model...)
	text = append(append(text, 0), need.Route...)
	return sha256.Sum256(text)
}

// account is the account of a token that the webhook admits, and the limits of the
// request. Requests that ask the same at the same time share one question.
func (h *hook) account(ctx context.Context, token string, hash Hash, need Need) (*account, *Key, error) {
	q := ask(hash, need)
	for {
		h.mu.Lock()
		if a, ok := h.remembered(q); ok {
			h.mu.Unlock()
			return a.account, a.key, a.err
		}
		asked, busy := h.waiting[q]
		if !busy {
			asked = make(chan struct{})
			h.waiting[q] = asked
		}
		h.mu.Unlock()
		if !busy {
			return h.decide(ctx, q, token, hash, need)
		}
		select {
		case <-asked: // look again: who asked may have left without an answer
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// remembered finds a decision that still holds.
func (h *hook) remembered(q question) (answer, bool) {
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

// decide asks the webhook, remembers what it says and lets those go who wait for it.
func (h *hook) decide(ctx context.Context, q question, token string, hash Hash, need Need) (*account, *Key, error) {
	key, err := h.question(ctx, token, hash, need)
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(h.waiting[q])
	defer delete(h.waiting, q)
	if err != nil {
		if lasting(err) {
			remember(h.refused, q, answer{err: err, until: h.now().Add(refusedFor)})
		}
		return nil, nil, err
	}
	identify(&key, hash)
	a, err := h.open(key, hash)
	if err != nil {
		return nil, nil, err
	}
	remember(h.admitted, q, answer{account: a, key: &key, until: h.now().Add(admittedFor)})
	return a, &key, nil
}

// question asks the webhook, not too often at a time.
func (h *hook) question(ctx context.Context, token string, hash Hash, need Need) (Key, error) {
	party := "key " + hash.String()
	if !h.met(hash) {
		party = "address " + need.From
		release, err := h.strange.Acquire(ctx, party)
		if err != nil {
			return Key{}, crowded(err)
		}
		defer release()
	}
	release, err := h.asking.Acquire(ctx, party)
	if err != nil {
		return Key{}, crowded(err)
	}
	defer release()
	return h.decider.Decide(ctx, token, need)
}

func crowded(err error) error {
	if errors.Is(err, fairqueue.ErrFull) {
		return refuse(fault.KeyWebhookFailed, time.Second, "too many keys wait for the webhook")
	}
	return err
}

// met reports whether the webhook admitted the token before.
func (h *hook) met(hash Hash) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.accounts[hash] != nil
}

// lasting reports whether err is the webhook's decision, not its absence.
func lasting(err error) bool {
	switch fault.CodeOf(err) {
	case fault.KeyUnknown, fault.KeyDenied, fault.BudgetSpent, fault.RateLimited:
		return true
	}
	return false
}

// remember keeps a table within its bound: something old or arbitrary makes room.
func remember(answers map[question]answer, q question, a answer) {
	if len(answers) >= mostAnswers {
		for other := range answers {
			delete(answers, other)
			break
		}
	}
	answers[q] = a
}

// identify gives the webhook's key what its answers cannot say.
func identify(key *Key, hash Hash) {
	key.Hash = hash
	short := hash.String()[:16]
	key.ID = "hook:" + short
	if key.Name == "" {
		key.Name = "hook-" + short[:8]
	}
}

// open finds or makes the account of a token.
func (h *hook) open(key Key, hash Hash) (*account, error) {
	if a := h.accounts[hash]; a != nil {
		a.change(key)
		return a, nil
	}
	if len(h.accounts) >= mostAccounts && !h.sweep() {
		return nil, refuse(fault.KeyWebhookFailed, 0, "the webhook admitted more API keys than the gateway can count")
	}
	a := newShared(key, h.now)
	h.opened(a)
	h.accounts[hash] = a
	return a, nil
}

// sweep forgets accounts that hold nothing.
func (h *hook) sweep() bool {
	swept := false
	for hash, a := range h.accounts {
		if a.idle() {
			delete(h.accounts, hash)
			swept = true
		}
	}
	clear(h.admitted) // answers may lead to what was forgotten
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
