package recipient

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// idleAccount is how long an account without jobs stays open.
const idleAccount = 10 * time.Minute

// detailBlocks is for about how many layer-1 blocks, a day, the ledger keeps single entries,
// and for the last round in any case; older ones become totals. No debt is archived before it
// is forgotten.
const detailBlocks protocol.L1Block = 7200

// detailRounds is detailBlocks in rounds.
func detailRounds(r protocol.RoundState) protocol.Round {
	if r.Length == 0 {
		return 1
	}
	return protocol.Round(max(1, (detailBlocks+r.Length-1)/r.Length))
}

// Run closes idle accounts, drops expired parameters and archives old rounds until ctx ends.
// Open accounts stay as they are; the ledger has them. Last it stores the height, so that what
// expired stays expired after the next start.
func (r *Recipient) Run(ctx context.Context, ready func()) error {
	defer func() { r.Reached(r.sets.height(r.opt.Chain.View().Head.L1)) }()
	if r.opt.Events != nil {
		defer r.opt.Events.Subscribe(r.onEvent)()
	}
	ready()
	tick := time.NewTicker(r.opt.Sweep)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.sweep(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// sweep does the work of Run once.
func (r *Recipient) sweep(ctx context.Context) {
	now := r.opt.Now()
	view := r.opt.Chain.View()
	if n := r.accounts.closeIdle(now.Add(-idleAccount), now, view.Round.Number); n > 0 {
		r.opt.Log.Debug("idle accounts closed", "accounts", n)
	}
	r.retryDeferred(ctx)
	if !view.Known {
		return
	}
	r.expireBeforeDeactivation(&view)
	r.Reached(r.sets.height(view.Head.L1))
	r.archive(ctx, view.Round)
}

// archive lets the ledger archive old entries, once per round.
func (r *Recipient) archive(ctx context.Context, now protocol.RoundState) {
	round := now.LastInitialized
	before := round - min(round, detailRounds(now))
	if before <= r.archived {
		return
	}
	if err := r.opt.Ledger.Archive(ctx, before); err != nil {
		// The ledger sets a condition if it lasts; the next sweep tries again.
		r.opt.Log.Debug("books not rolled up", fault.Attr(err))
		return
	}
	r.archived = before
}
