package apikeystore

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// every is how often counts are saved and changes of other processes looked for:
// a revoked key is refused about a second later.
const every = time.Second

// lastSave bounds the saving of counts when the node stops.
const lastSave = 5 * time.Second

// Options are the sources of keys.
type Options struct {
	// Dir is the data directory, which exists; tutti.db is in it.
	Dir string
	// File is a key file, "" for none.
	File string
	// Webhook is asked about tokens that neither holds, "" for none. It may hold a
	// password and is never shown.
	Webhook string
	// Transport reaches the webhook; nil is one of its own.
	Transport http.RoundTripper
	// Reservation is what a request without max_tokens reserves; 0 is
	// keys.DefaultReservation.
	Reservation inference.Tokens
	Log         *slog.Logger
	Now         func() time.Time
	// Every replaces the second between savings, for tests.
	Every time.Duration
}

// Keystore decides about requests by the keys of every source, and keeps counts
// on disk while it runs.
type Keystore struct {
	*apikeys.Guard
	store *Store
	hook  *webhook
	opt   Options
	// loadErr and saveErr are the last troubles, so that only changes are logged.
	loadErr, saveErr error
}

var (
	_ apikeys.Authorizer  = (*Keystore)(nil)
	_ lifecycle.Component = (*Keystore)(nil)
)

// New opens the database, reads the key file and every key. It decides from then
// on; counts are saved while it runs. Errors are KeyFileInvalid and
// KeyStoreFailed.
func New(ctx context.Context, opt Options) (*Keystore, error) {
	if opt.Every <= 0 {
		opt.Every = every
	}
	guard := apikeys.Options{Now: opt.Now, Closed: opt.File != "", Reservation: opt.Reservation}
	if opt.File != "" {
		list, err := ReadFile(opt.File)
		if err != nil {
			return nil, err
		}
		guard.Static = list
	}
	k := &Keystore{opt: opt}
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

func (k *Keystore) open(ctx context.Context) error {
	if err := k.store.Forget(ctx, k.opt.Now()); err != nil {
		return err
	}
	return k.Load(ctx)
}

// Name is the component's name.
func (*Keystore) Name() string { return "API keys" }

// Store is the database, for those who change keys in this process; what they
// change counts after Load.
func (k *Keystore) Store() *Store { return k.store }

// Run saves counts and notices changes until ctx ends, saves a last time and
// closes the database. Keys that are known stay in force whatever happens to it.
func (k *Keystore) Run(ctx context.Context, ready func()) error {
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

// sync is one round of saving and looking.
func (k *Keystore) sync(ctx context.Context) {
	k.note(ctx, &k.saveErr, k.Flush(ctx), "counts of API keys are not saved; they are kept in memory and tried again")
	changed, err := k.store.Changed(ctx)
	if changed && err == nil {
		err = k.Load(ctx)
	}
	k.note(ctx, &k.loadErr, err, "changes of API keys are not seen; the keys as they were stay in force")
}

// note logs the beginning and the end of trouble.
func (k *Keystore) note(ctx context.Context, last *error, err error, text string) {
	if ctx.Err() != nil {
		return
	}
	switch {
	case err != nil && *last == nil:
		k.opt.Log.Warn(text, fault.Attr(err))
	case err == nil && *last != nil:
		k.opt.Log.Info("API keys are saved and seen again")
	}
	*last = err
}

// end saves what is left.
func (k *Keystore) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lastSave)
	defer cancel()
	err := k.Flush(ctx)
	if k.hook != nil {
		k.hook.close()
	}
	if e := k.store.Close(); err == nil {
		err = e
	}
	return err
}
