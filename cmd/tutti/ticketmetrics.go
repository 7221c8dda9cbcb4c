package main

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/server/metrics"
)

// ticketRecorder counts tickets, or nothing without -monitor.
func (n *node) ticketRecorder() pm.Recorder {
	if n.metrics == nil {
		return pm.NopRecorder{}
	}
	var roles []string
	for _, role := range []struct {
		on   bool
		name string
	}{{n.cfg.Roles.Orchestrator, metrics.Orchestrator}, {n.cfg.Roles.Redeemer, metrics.Redeemer}, {n.cfg.Roles.Gateway, metrics.Gateway}} {
		if role.on {
			roles = append(roles, role.name)
		}
	}
	return n.metrics.Tickets(roles...)
}

// watchTickets adds the series of tickets and prices that are looked up at every
// scrape. books are nil where the node has none.
func (n *node) watchTickets(books *ledger.Reader) error {
	if n.metrics == nil || n.chain == nil {
		return nil
	}
	if books != nil {
		if err := n.metrics.WatchWinners(n.takingRole(), n.winnerState(books)); err != nil {
			return err
		}
	}
	if n.storing != nil && n.storing.leads != nil {
		if err := n.metrics.WatchStore(n.takingRole(), n.storing.leads); err != nil {
			return err
		}
	}
	if n.prices != nil && n.prices.Book != nil {
		if err := n.metrics.WatchPrices(metrics.Orchestrator, n.prices.Book.List); err != nil {
			return err
		}
	}
	if n.prices != nil && n.prices.Caps != nil {
		if err := n.metrics.WatchPrices(metrics.Gateway, n.prices.Caps.List); err != nil {
			return err
		}
	}
	if n.paying == nil {
		return nil
	}
	account := n.chain.Signer.Address()
	return n.metrics.WatchFunds(account, func(ctx context.Context) (protocol.SenderFunds, error) {
		return n.chain.Chain.SenderFunds(ctx, account)
	})
}

// takingRole is the role that has winning tickets.
func (n *node) takingRole() string {
	if n.cfg.Roles.Orchestrator {
		return metrics.Orchestrator
	}
	return metrics.Redeemer
}

// winnerState reads how the winning tickets stand.
func (n *node) winnerState(books *ledger.Reader) func(context.Context) (metrics.WinnerState, error) {
	return func(ctx context.Context) (metrics.WinnerState, error) {
		out := metrics.WinnerState{Counts: map[string]int{}}
		counts, err := books.Counts(ctx)
		if err != nil {
			return out, err
		}
		for state, some := range counts {
			out.Counts[string(state)] = some
		}
		open, err := books.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted}})
		now := n.round()
		for i := range open {
			t := &open[i].Ticket
			out.Waiting = out.Waiting.Add(t.FaceValue)
			if t.CreationRound < now {
				out.Expiring = out.Expiring.Add(t.FaceValue)
			}
		}
		return out, err
	}
}
