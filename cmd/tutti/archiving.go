package main

import (
	"context"
	"log/slog"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/ledger"
)

// keepRounds is for how many rounds the ledger's entries are kept one by one, about
// two months; of older ones there are sums.
const keepRounds protocol.Round = 60

// archiving rolls up old entries of the ledger once a round.
type archiving struct {
	ledger *ledger.Ledger
	chain  interface {
		protocol.Views
		protocol.Events
	}
	log *slog.Logger
}

// addArchiving keeps the ledger of a node that has one from growing.
func (n *node) addArchiving() {
	if n.earning != nil {
		n.add(archiving{n.earning.ledger, n.chain.Chain, n.log})
	}
}

// Name is the component's name.
func (archiving) Name() string { return "ledger archive" }

// Run rolls up at the start and whenever a round begins, until ctx ends.
func (a archiving) Run(ctx context.Context, ready func()) error {
	begun := make(chan struct{}, 1)
	stop := a.chain.Subscribe(func(e protocol.Event) {
		if _, ok := e.(protocol.RoundSeen); !ok {
			return
		}
		select {
		case begun <- struct{}{}:
		default:
		}
	})
	defer stop()
	ready()
	var done protocol.Round
	for {
		if round := a.chain.View().Round.LastInitialized; round > keepRounds && round != done {
			// What fails is tried again with the next round; the ledger says what is wrong.
			if err := a.ledger.Archive(ctx, round-keepRounds); err != nil && ctx.Err() == nil {
				a.log.Warn("old entries of the ledger were not rolled up", fault.Attr(err))
			} else {
				done = round
			}
		}
		select {
		case <-begun:
		case <-ctx.Done():
			return nil
		}
	}
}
