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
	r.renew(now)
	if !view.Known {
		return
	}
	r.expireBeforeDeactivation(&view)
	r.Reached(r.sets.height(view.Head.L1))
	r.archive(ctx, &view)
}

// lastingRound is the time for which a round must not be contradicted before entries are archived by it: what is
// archived is gone, and so are winners that a false round ended.
const lastingRound = time.Hour

// roundSeen is the lowest round before which entries might be archived, of those that were seen since a time.
type roundSeen struct {
	before protocol.Round
	since  time.Time
}

// lasting returns the round before which entries may be archived: the lowest within lastingRound. It is false while
// that time is not over, and where nothing new is seen.
func (s *roundSeen) lasting(view *protocol.View, now time.Time) (before protocol.Round, ok bool) {
	if view.Stale {
		return 0, false
	}
	last := view.Round.LastInitialized
	before = last - min(last, detailRounds(view.Round))
	switch {
	case s.since.IsZero() || before < s.before:
		*s = roundSeen{before: before, since: now}
	case now.Sub(s.since) >= lastingRound:
		lowest := s.before
		*s = roundSeen{before: before, since: now}
		return lowest, true
	}
	return 0, false
}

// archive lets the ledger archive old entries, once per round.
func (r *Recipient) archive(ctx context.Context, view *protocol.View) {
	before, ok := r.seen.lasting(view, r.opt.Now())
	if !ok || before <= r.archived {
		return
	}
	if err := r.opt.Ledger.Archive(ctx, before); err != nil {
		// The ledger sets a condition if it lasts; the next sweep tries again.
		r.opt.Log.Debug("books not rolled up", fault.Attr(err))
		r.seen = roundSeen{before: before, since: r.opt.Now().Add(-lastingRound)}
		return
	}
	r.archived = before
}
