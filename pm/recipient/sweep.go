package recipient

import (
	"context"
	"time"
)

// idleAccount is how long an account without jobs stays open.
const idleAccount = 10 * time.Minute

// Run forgets what is over until ctx ends: accounts that nobody used for 10 minutes
// and parameters that have expired. Open accounts stay as they are when it ends; the
// books have them.
func (r *Recipient) Run(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(r.opt.Sweep)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.sweep()
		case <-ctx.Done():
			return nil
		}
	}
}

// sweep looks once.
func (r *Recipient) sweep() {
	now := r.opt.Now()
	view := r.opt.Chain.View()
	if n := r.accounts.closeIdle(now.Add(-idleAccount), now, view.Round.Number); n > 0 {
		r.opt.Log.Debug("idle accounts closed", "accounts", n)
	}
	if !view.Known {
		return
	}
	if l1 := r.sets.drop(view.Head.L1); l1 > r.expired {
		r.expired = l1
		r.opt.Ledger.Expired(l1)
	}
}
