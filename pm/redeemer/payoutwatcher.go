package redeemer

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// PayoutWatcher looks on the chain whether winning tickets that another process redeems were
// paid. It is a lifecycle.Component. A redeemer's word moves no ticket here: one is mined when
// the ticket broker has it as used and a receipt says what it paid, final when that has lasted,
// and expired when its last round is over and it is not used.
//
// It asks nothing of the chain for a ticket in the first half of the time in which it can be
// redeemed, unless an event says that it was. Otherwise one read for a hundred tickets, every 25
// layer-1 blocks (about five minutes), and the receipt of what was redeemed.
type PayoutWatcher struct {
	opt   PayoutOptions
	hints payoutHints

	// What follows is owned by Run.

	// checkedAt is the layer-1 block of the last check, checkedRound its round.
	checkedAt    protocol.L1Block
	checkedRound protocol.Round
	checked      bool
	// validity is for how many rounds a ticket can be redeemed, as read in validityRound.
	validity      protocol.Round
	validityRound protocol.Round
	// mined is since when a payout is known, missing how often none was found for a used
	// ticket. Both are bounded by the tickets of one check.
	mined   map[protocol.Hash]sighting
	missing map[protocol.Hash]int
}

// sighting is a payout and when it was seen first in its block.
type sighting struct {
	block protocol.L2Block
	since time.Time
}

// NewPayoutWatcher makes a PayoutWatcher; nothing happens until Run.
func NewPayoutWatcher(o PayoutOptions) (*PayoutWatcher, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &PayoutWatcher{
		opt: o, hints: payoutHints{all: make(map[payoutKey]protocol.TxHash)},
		mined: make(map[protocol.Hash]sighting), missing: make(map[protocol.Hash]int),
	}, nil
}

// Name returns the component's name.
func (*PayoutWatcher) Name() string { return "handed tickets" }

// Run checks tickets until ctx ends.
func (w *PayoutWatcher) Run(ctx context.Context, ready func()) error {
	defer w.opt.Chain.Subscribe(w.hints.onEvent)()
	ready()
	tick := time.NewTicker(w.opt.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		v := w.opt.Chain.View()
		if !w.due(&v) {
			continue
		}
		w.check(ctx, &v)
	}
}

// due reports whether a check is due.
func (w *PayoutWatcher) due(v *protocol.View) bool {
	if !v.Known || v.Stale {
		return false
	}
	return !w.checked || v.Round.Number != w.checkedRound ||
		v.Head.L1 >= w.checkedAt+w.opt.Every || v.Head.L1 < w.checkedAt ||
		w.hints.fresh()
}

// check runs one check. What the chain does not answer is read again at the next one, and what the ledger does not a
// moment later: a database elsewhere comes and goes.
func (w *PayoutWatcher) check(ctx context.Context, v *protocol.View) {
	limited, cancel := context.WithTimeout(ctx, w.opt.Timeout)
	defer cancel()
	err := w.checkTickets(limited, v)
	if ctx.Err() != nil {
		return
	}
	notRead, readFailed := errors.AsType[*ledgerError](err)
	w.checked, w.checkedAt, w.checkedRound = !readFailed, v.Head.L1, v.Round.Number
	key := health.Key{Code: fault.LedgerFailed, About: "handed tickets"}
	switch {
	case readFailed:
		w.opt.Board.Report(key, notRead.err)
		return
	case err != nil:
		w.opt.Log.Debug("handed tickets not looked at", fault.Attr(err))
	}
	w.opt.Board.Clear(key)
}

// ledgerError is a ledger that cannot be read.
type ledgerError struct{ err error }

func (e *ledgerError) Error() string { return e.err.Error() }
