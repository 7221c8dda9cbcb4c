package pricing

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Feed reads a price feed on the chain: its description ("ETH / USD"), the price of the first currency in the
// second, and the time of its last update. price is the caller's own.
type Feed interface {
	Quote(ctx context.Context, feed core.Address) (description string, price *big.Rat, updated time.Time, err error)
}

// When a rate is requested.
const (
	// attempts is the number of attempts at a time; retryAfter is the first pause, and every further one is
	// twice the one before.
	attempts   = 5
	retryAfter = 30 * time.Second
	// askTime bounds one attempt.
	askTime = 20 * time.Second
)

// RatesOptions are what Rates is made of; all but Feed's Address must be set.
type RatesOptions struct {
	Feed Feed
	// Address is the feed's contract.
	Address core.Address
	Board   *health.Board
	Log     *slog.Logger
	Now     func() time.Time
}

// Rates keeps the rate of the feed's currency. It is a lifecycle.Component that asks the feed when the first
// price in a currency is set, and from then on at every full hour (UTC). A nil *Rates converts only wei and
// ETH.
type Rates struct {
	opt RatesOptions
	// now is nil before the first rate.
	now atomic.Pointer[rate]
	// needed is closed when the first price in a currency was set.
	needed chan struct{}
	need   sync.Once
	// asking serializes requests to the feed.
	asking chan struct{}

	mu        sync.Mutex
	listeners []func() // guarded by mu
}

// NewRates makes Rates; the feed is not asked until a price needs it.
func NewRates(opt RatesOptions) *Rates {
	return &Rates{opt: opt, needed: make(chan struct{}), asking: make(chan struct{}, 1)}
}

// Name returns the component's name.
func (r *Rates) Name() string { return "price feed" }

// Currency returns the feed's, in capitals; "" while it is not known.
func (r *Rates) Currency() string {
	if r == nil || r.now.Load() == nil {
		return ""
	}
	return r.now.Load().currency
}

// onChange registers f to be called after every change of the rate.
func (r *Rates) onChange(f func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(r.listeners, f)
}

// Run keeps the rate up to date until ctx ends.
func (r *Rates) Run(ctx context.Context, ready func()) error {
	ready()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.needed:
	}
	for {
		r.refresh(ctx)
		now := r.opt.Now().UTC()
		if !sleep(ctx, now.Truncate(time.Hour).Add(time.Hour).Sub(now)) {
			return ctx.Err()
		}
	}
}

// refresh asks until there is an answer that confirms the rate in use, at most a few times. Without any rate the node
// earns nothing, so then it keeps asking.
func (r *Rates) refresh(ctx context.Context) {
	pause := retryAfter
	for n := 1; ; n++ {
		err := r.ask(ctx)
		now := r.now.Load()
		if err == nil && now.confirmed || n >= attempts && now != nil || !sleep(ctx, pause) {
			return
		}
		if err != nil && n < attempts-1 {
			pause *= 2
		}
	}
}

// EnsureKnown fetches the rate if none is known. The error is the fault PriceFeedFailing or
// PriceRateDoubtful.
func (r *Rates) EnsureKnown(ctx context.Context) error {
	if r.now.Load() != nil {
		return nil
	}
	return r.ask(ctx)
}

// ask asks the feed once. A doubtful answer counts as an answer: it is not asked for again before its time,
// but the rate stays.
func (r *Rates) ask(ctx context.Context) error {
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	next, err := r.read(ctx)
	if err != nil {
		if ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
			return ctx.Err()
		}
		err = fault.Wrap(fault.PriceFeedFailing, "ask the price feed "+r.opt.Address.String(), err)
		r.opt.Log.Debug("the price feed did not answer", "err", err)
		r.opt.Board.Set(health.Key{Code: fault.PriceFeedFailing},
			r.withConsequence("the feed "+r.opt.Address.String()+" gave no usable answer"))
		return err
	}
	r.opt.Board.Clear(health.Key{Code: fault.PriceFeedFailing})
	return r.accept(next)
}

func (r *Rates) read(ctx context.Context) (rate, error) {
	description, price, updated, err := r.opt.Feed.Quote(ctx, r.opt.Address)
	if err != nil {
		return rate{}, err
	}
	return newRate(description, price, updated, r.opt.Now())
}

// accept makes a rate the present one, unless it is doubtful. The first rate, which nothing was compared with, is not
// defended against the next one: it may be the false one.
func (r *Rates) accept(next rate) error {
	last := r.now.Load()
	key := health.Key{Code: fault.PriceRateDoubtful}
	why := next.rejectReason(last)
	if next.confirmed = last != nil && why == ""; last != nil && !last.confirmed {
		why = next.rejectReason(nil)
	}
	if why != "" {
		r.opt.Board.Set(key, r.withConsequence(why))
		if last == nil {
			return fault.New(fault.PriceRateDoubtful, "take the rate of "+next.currency, why)
		}
		return nil
	}
	r.opt.Board.Clear(key)
	r.now.Store(&next)
	r.opt.Log.Info("rate of the price feed", "currency", next.currency, "wei", next.wei.FloatString(0), "updated",
		next.updated.UTC())
	r.mu.Lock()
	followers := r.listeners
	r.mu.Unlock()
	for _, f := range followers {
		f()
	}
	return nil
}

// withConsequence adds to a problem what it means for prices.
func (r *Rates) withConsequence(why string) string {
	now := r.now.Load()
	if now == nil {
		return why + "; no rate is known"
	}
	return fmt.Sprintf("%s; the rate of %s stays in use, 1 %s is %s wei", why, now.taken.UTC().Format(time.RFC3339),
		now.currency, now.wei.FloatString(0))
}

// sleep waits, and reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
