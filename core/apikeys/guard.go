package apikeys

import (
	"cmp"
	"context"
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// DefaultReservation is reserved for the answer of a request without max_tokens. It is also the
// network's default for max_tokens.
const DefaultReservation inference.Tokens = 256

// Options make a Guard; all but Now are optional.
type Options struct {
	// Static are keys that change only with SetStatic.
	Static []Key
	// Store holds the other keys, and the counts of all.
	Store Store
	// Decider decides about tokens that neither holds.
	Decider Decider
	// Closed requires a key even while no key exists: a key file without entries must not open the
	// gateway.
	Closed bool
	// Reservation replaces DefaultReservation.
	Reservation inference.Tokens
	// WeiPerUSD is the present rate, false while it is not known; nil knows none. It must not wait. needed says that a
	// budget is in dollars; without that, a rate that is known anyway will do.
	WeiPerUSD func(needed bool) (*big.Rat, bool)
	Now       func() time.Time
}

// Guard is the Authorizer of a gateway. It is safe for concurrent use.
type Guard struct {
	opt Options
	// table is replaced as a whole, so that requests look keys up without a lock.
	table atomic.Pointer[table]
	hook  *hook
	// leaving: another process has the counts.
	leaving atomic.Bool
	// delegates are the tokens of Delegate.
	delegates delegates

	mu sync.Mutex // guards what replaces table, and what follows
	// static and stored are the keys of the table.
	static, stored []Key
	// saved are loaded counts that belong to no account yet.
	saved map[string]Usage
	// loaded: the counts were read once; from then on those in memory are newer.
	loaded bool
}

// table is a snapshot of the accounts of listed keys.
type table struct {
	byHash map[Hash]*account
	byID   map[string]*account
	// unlisted are the accounts of keys that were listed: their counts are saved, and go on where a key is listed again.
	unlisted map[string]*account
}

// New makes a Guard that knows the static keys. Load brings in the store's.
func New(opt Options) *Guard {
	if opt.Reservation <= 0 {
		opt.Reservation = DefaultReservation
	}
	g := &Guard{opt: opt, static: opt.Static, saved: make(map[string]Usage)}
	g.table.Store(g.build(nil, &table{}))
	if opt.Decider != nil {
		g.hook = newHook(opt.Decider, opt.Now, g.take)
	}
	return g
}

// Load reads the store's keys, the first time also the counts. After an error the known keys stay
// valid.
func (g *Guard) Load(ctx context.Context) error {
	if g.opt.Store == nil {
		return nil
	}
	keys, usage, err := g.opt.Store.Load(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.table.Load()
	if !g.loaded {
		g.loaded = true
		for _, u := range usage {
			if a := cmp.Or(old.byID[u.ID], old.unlisted[u.ID]); a != nil {
				a.restore(u)
			} else {
				g.saved[u.ID] = u
			}
		}
	}
	g.stored = keys
	g.table.Store(g.build(keys, old))
	return nil
}

// SetStatic replaces the static keys. Remaining keys keep their counts, and admitted requests
// continue.
func (g *Guard) SetStatic(keys []Key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.static = keys
	g.table.Store(g.build(g.stored, g.table.Load()))
}

// build makes a table. Accounts of the old one are kept with their counts.
func (g *Guard) build(stored []Key, old *table) *table {
	t := &table{byHash: make(map[Hash]*account), byID: make(map[string]*account), unlisted: make(map[string]*account)}
	add := func(k Key) {
		a := cmp.Or(t.byID[k.ID], old.byID[k.ID], old.unlisted[k.ID])
		if a == nil {
			a = newAccount(k, g.opt.Now)
			a.weiPerUSD = g.opt.WeiPerUSD
			g.restore(a)
		} else {
			a.change(k)
		}
		t.byID[k.ID], t.byHash[k.Hash] = a, a
	}
	for _, k := range g.static {
		add(k)
	}
	// A secret that is also in the file belongs to the store, which can revoke it.
	for _, k := range stored {
		add(k)
	}
	for _, were := range []map[string]*account{old.byID, old.unlisted} {
		for id, a := range were {
			if t.byID[id] == nil {
				t.unlisted[id] = a
			}
		}
	}
	return t
}

// restore gives a new account the counts that were loaded for it.
func (g *Guard) restore(a *account) {
	for i := range a.counts {
		id := a.counts[i].ID
		if u, ok := g.saved[id]; ok {
			a.restore(u)
			delete(g.saved, id)
		}
	}
}

// Required reports whether requests need a key.
func (g *Guard) Required() bool {
	return g.opt.Closed || g.hook != nil || len(g.table.Load().byID) > 0
}

// Admit admits a request or returns why not; see Authorizer.
func (g *Guard) Admit(ctx context.Context, token string, need Need) (*Grant, error) {
	if !g.Required() {
		return &Grant{}, nil
	}
	if g.leaving.Load() {
		return nil, errLeft()
	}
	a, answer, err := g.account(ctx, token, need)
	if err != nil {
		return nil, err
	}
	return a.admit(answer, need, g.opt.Reservation)
}

// account finds the account of a token, and the webhook's answer for the request, nil for a listed key.
func (g *Guard) account(ctx context.Context, token string, need Need) (a *account, answer *Key, err error) {
	if token == "" {
		return nil, nil, missing()
	}
	hash, delegated := g.hashOf(token)
	if a = g.table.Load().byHash[hash]; a != nil {
		return a, nil, nil
	}
	if g.hook == nil || delegated {
		return nil, nil, unknown()
	}
	return g.hook.account(ctx, token, hash, need)
}

// Permits refuses a model besides the one that a request was admitted for; see Authorizer.
func (g *Guard) Permits(ctx context.Context, token string, need Need) error {
	if !g.Required() {
		return nil
	}
	a, answer, err := g.account(ctx, token, need)
	if err != nil {
		return err
	}
	return a.permits(answer, need.Model)
}

// Known refuses a token that can never be admitted; see Authorizer. Unlisted tokens are left to the
// webhook, if there is one.
func (g *Guard) Known(token string) error {
	switch {
	case !g.Required():
		return nil
	case token == "":
		return missing()
	}
	hash, delegated := g.hashOf(token)
	a := g.table.Load().byHash[hash]
	switch {
	case a != nil:
		return a.checkKey()
	case g.hook != nil && !delegated:
		return nil
	}
	return unknown()
}

// Verified reports whether a token is listed or was admitted before; see Authorizer.
func (g *Guard) Verified(token string) bool {
	hash, _ := g.hashOf(token)
	return !g.Required() || g.table.Load().byHash[hash] != nil || g.hook != nil && g.hook.admittedBefore(hash)
}

// Use checks a token for a use that takes nothing from a key's limits, such as watching a stream.
// The webhook is called about its tokens as for any request, of a client at an address.
func (g *Guard) Use(ctx context.Context, token, route, from string) error {
	hash, _ := g.hashOf(token)
	if err := g.Known(token); err != nil || !g.Required() || g.table.Load().byHash[hash] != nil {
		return err
	}
	_, answer, err := g.hook.account(ctx, token, hash, Need{Route: route, From: from, MaxTokens: NoTokens})
	if err != nil {
		return err
	}
	return answer.usable(g.opt.Now(), "")
}

func missing() error {
	return refuse(fault.KeyMissing, 0, "this gateway wants an API key: send Authorization: Bearer <key>")
}

func unknown() error { return refuse(fault.KeyUnknown, 0, "this API key is not known here") }

// Flush saves the counts that changed. Counts that could not be saved are saved with the next call.
func (g *Guard) Flush(ctx context.Context) error {
	if g.opt.Store == nil {
		return nil
	}
	var usage []Usage
	var changed []*account
	for _, a := range g.accounts() {
		if u, dirty := a.takeChanged(usage); dirty {
			usage, changed = u, append(changed, a)
		}
	}
	if len(usage) == 0 {
		return nil
	}
	err := g.opt.Store.SaveUsage(ctx, usage)
	if err != nil {
		for _, a := range changed {
			a.markDirty()
		}
	}
	return err
}

// accounts returns all accounts, of listed and of webhook keys, and of keys that are not listed any more.
func (g *Guard) accounts() []*account {
	all := g.known()
	for _, a := range g.table.Load().unlisted {
		all = append(all, a)
	}
	return all
}

// known returns the accounts of listed and of webhook keys.
func (g *Guard) known() []*account {
	var all []*account
	for _, a := range g.table.Load().byID {
		all = append(all, a)
	}
	if g.hook != nil {
		all = append(all, g.hook.all()...)
	}
	return all
}

// take is called for an account that the webhook opens.
func (g *Guard) take(a *account) {
	a.weiPerUSD = g.opt.WeiPerUSD
	g.mu.Lock()
	defer g.mu.Unlock()
	g.restore(a)
}

// State is one key at one moment, for reports; it contains no secret.
type State struct {
	Key      Key
	Usage    Usage
	InFlight int
}

// State returns the state of a listed key by its token; false for every other token.
func (g *Guard) State(token string) (State, bool) {
	a := g.table.Load().byHash[HashOf(token)]
	if token == "" || a == nil {
		return State{}, false
	}
	return a.state(), true
}

// States returns the known keys, in no order.
func (g *Guard) States() []State {
	var all []State
	for _, a := range g.known() {
		all = append(all, a.state())
	}
	return all
}
