package payout

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Watcher is a lifecycle.Component.
type Watcher struct {
	opt   Options
	hints hints

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

// New makes a Watcher; nothing happens until Run.
func New(o Options) (*Watcher, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Watcher{
		opt: o, hints: hints{all: make(map[payoutKey]protocol.TxHash)},
		mined: make(map[protocol.Hash]sighting), missing: make(map[protocol.Hash]int),
	}, nil
}

// Name returns the component's name.
func (*Watcher) Name() string { return "handed tickets" }

// Run checks tickets until ctx ends. Its only failure is a ledger that cannot be read.
func (w *Watcher) Run(ctx context.Context, ready func()) error {
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
		if err := w.check(ctx, &v); err != nil {
			return err
		}
	}
}

// due reports whether a check is due.
func (w *Watcher) due(v *protocol.View) bool {
	if !v.Known || v.Stale {
		return false
	}
	return !w.checked || v.Round.Number != w.checkedRound ||
		v.Head.L1 >= w.checkedAt+w.opt.Every || v.Head.L1 < w.checkedAt ||
		w.hints.fresh()
}

// check runs one check. What the chain does not answer is read again at the next one.
func (w *Watcher) check(ctx context.Context, v *protocol.View) error {
	limited, cancel := context.WithTimeout(ctx, w.opt.Timeout)
	defer cancel()
	err := w.checkTickets(limited, v)
	w.checked, w.checkedAt, w.checkedRound = true, v.Head.L1, v.Round.Number
	var notRead *ledgerError
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.As(err, &notRead):
		return notRead.err
	}
	w.opt.Log.Debug("handed tickets not looked at", fault.Attr(err))
	return nil
}

// ledgerError is a ledger that cannot be read.
type ledgerError struct{ err error }

func (e *ledgerError) Error() string { return e.err.Error() }
