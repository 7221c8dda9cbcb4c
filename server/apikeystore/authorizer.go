package apikeystore

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// saveEvery is how often counts are saved and changes of other processes are read: a revoked key is
// refused about a second later.
const saveEvery = time.Second

// lastSave bounds the last save when the node stops.
const lastSave = 5 * time.Second

// Options are the sources of keys.
type Options struct {
	// Dir is the data directory, which exists; tutti.db is in it.
	Dir string
	// File is a key file, "" for none.
	File string
	// Webhook is called about tokens that neither holds, "" for none. Its URL may contain a
	// password and is never shown.
	Webhook string
	// Transport calls the webhook; nil makes one.
	Transport http.RoundTripper
	// Reservation is reserved for a request without max_tokens; 0 is apikeys.DefaultReservation.
	Reservation inference.Tokens
	// WeiPerUSD is the present rate, see apikeys.Options.
	WeiPerUSD func(needed bool) (*big.Rat, bool)
	// Board shows the keys that used most of their budgets; nil shows none.
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
	// Every replaces the interval between saves, for tests.
	Every time.Duration
}

// Authorizer decides about requests by the keys of all sources, and saves counts on disk while it
// runs.
type Authorizer struct {
	*apikeys.Guard
	store *Store
	hook  *webhook
	opt   Options
	// pending is spend that is not saved yet, alerts the keys that Board shows.
	pending apikeys.Pending
	alerts  map[string]bool
	// leaving: the end of Run is a handover. late is what was not passed on to the new process yet.
	leaving atomic.Bool
	late    []apikeys.Late
	// loadErr and saveErr are the last errors, so that only changes are logged.
	loadErr, saveErr error
}

var (
	_ apikeys.Authorizer  = (*Authorizer)(nil)
	_ lifecycle.Component = (*Authorizer)(nil)
)

// New opens the database, reads the key file and every key, and is then ready to decide; counts are
// saved while it runs. Errors are KeyFileInvalid and KeyStoreFailed.
func New(ctx context.Context, opt Options) (*Authorizer, error) {
	if opt.Every <= 0 {
		opt.Every = saveEvery
	}
	guard := apikeys.Options{Now: opt.Now, Closed: opt.File != "", Reservation: opt.Reservation,
		WeiPerUSD: opt.WeiPerUSD}
	if opt.File != "" {
		list, err := ReadFile(opt.File)
		if err != nil {
			return nil, err
		}
		guard.Static = list
	}
	k := &Authorizer{opt: opt, alerts: make(map[string]bool)}
	if opt.Webhook != "" {
		k.hook = newWebhook(opt.Webhook, opt.Transport)
		guard.Decider = k.hook
	}
	var err error
	if k.store, err = OpenStore(ctx, opt.Dir); err != nil {
		return nil, err
	}
	guard.Store = k.store
	k.Guard = apikeys.New(guard)
	if err := k.open(ctx); err != nil {
		_ = k.store.Close()
		return nil, err
	}
	return k, nil
}

func (k *Authorizer) open(ctx context.Context) error {
	if err := k.store.Forget(ctx, k.opt.Now()); err != nil {
		return err
	}
	if err := k.store.forgetSpend(ctx, k.opt.Now()); err != nil {
		return err
	}
	if err := k.Load(ctx); err != nil {
		return err
	}
	return k.takeLate(ctx)
}

// Name returns the component's name.
func (*Authorizer) Name() string { return "API keys" }

// Store returns the database, for changing keys in this process; changes take effect with Load.
func (k *Authorizer) Store() *Store { return k.store }

// Run saves counts and reads changes until ctx ends, saves a last time and closes the database.
// Known keys stay valid whatever happens to it.
func (k *Authorizer) Run(ctx context.Context, ready func()) error {
	ready()
	ticker := time.NewTicker(k.opt.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			k.sync(ctx)
		case <-ctx.Done():
			return k.end(context.WithoutCancel(ctx))
		}
	}
}

// sync saves counts and reads changes once.
func (k *Authorizer) sync(ctx context.Context) {
	k.reportAlerts()
	k.logChange(ctx, &k.saveErr, k.save(ctx),
		"counts of API keys cannot be saved; they are kept in memory and saved later")
	changed, err := k.store.Changed(ctx)
	if changed && err == nil {
		err = errors.Join(k.Load(ctx), k.takeLate(ctx))
	}
	k.logChange(ctx, &k.loadErr, err, "changes of API keys cannot be read; the known keys stay valid")
}

// logChange logs the first error after a success, and the first success after an error.
func (k *Authorizer) logChange(ctx context.Context, last *error, err error, text string) {
	if ctx.Err() != nil {
		return
	}
	switch {
	case err != nil && *last == nil:
		k.opt.Log.Warn(text, fault.Attr(err))
	case err == nil && *last != nil:
		k.opt.Log.Info("API keys can be saved and read again")
	}
	*last = err
}

// end saves a last time and closes everything, but after a handover.
func (k *Authorizer) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lastSave)
	defer cancel()
	if k.leaving.Load() {
		k.Guard.HandOver()
		return k.save(ctx)
	}
	return errors.Join(k.save(ctx), k.close())
}

// close ends the use of webhook and database.
func (k *Authorizer) close() error {
	if k.hook != nil {
		k.hook.close()
	}
	return k.store.Close()
}
