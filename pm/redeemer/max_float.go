package redeemer

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// floatWatcher is notified of changes of one sender's max float.
type floatWatcher struct {
	sender core.Address
	// changed has capacity 1.
	changed chan struct{}
}

// MaxFloat returns the most that a sender's funds cover besides its pending tickets. It may read the
// chain; the error is then the fault of that read.
func (r *Redeemer) MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error) {
	funds, err := r.opt.Chain.SenderFunds(ctx, sender)
	if err != nil {
		return core.Wei{}, err
	}
	return pm.MaxFloat(funds, r.opt.Chain.View().PoolSize, r.Pending(sender)), nil
}

// WatchMaxFloat gives f a sender's max float now and after each change, until ctx ends or f
// fails; that is the error. While the chain cannot be read, f is not called.
func (r *Redeemer) WatchMaxFloat(ctx context.Context, sender core.Address, f func(core.Wei) error) error {
	w := &floatWatcher{sender: sender, changed: make(chan struct{}, 1)}
	r.mu.Lock()
	r.watchers[w] = struct{}{}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watchers, w)
	}()
	tick := time.NewTimer(r.opt.Poll)
	defer tick.Stop()
	last, sent := core.Wei{}, false
	for {
		now, err := r.MaxFloat(ctx, sender)
		if err == nil && (!sent || now.Cmp(last) != 0) {
			if err := f(now); err != nil {
				return err
			}
			last, sent = now, true
		}
		tick.Reset(r.opt.Poll)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.changed:
		case <-tick.C: // the chain may have become readable
		}
	}
}

// notifyWatchersLocked wakes the watchers of a sender.
func (r *Redeemer) notifyWatchersLocked(sender core.Address) {
	for w := range r.watchers {
		if w.sender == sender {
			w.notify()
		}
	}
}

// notifyAllWatchersLocked wakes all watchers.
func (r *Redeemer) notifyAllWatchersLocked() {
	for w := range r.watchers {
		w.notify()
	}
}

func (w *floatWatcher) notify() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
