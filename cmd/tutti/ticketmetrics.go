package main

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/server/metrics"
)

// watchTickets adds the series of tickets and prices that are looked up at every
// scrape. books are nil where the node has none.
func (n *node) watchTickets(books *ledger.Reader) error {
	if n.Metrics == nil || n.chain == nil {
		return nil
	}
	if books != nil {
		if err := n.Metrics.WatchWinners(n.takingRole(), n.winnerState(books)); err != nil {
			return err
		}
	}
	if leads := n.earning.Leads(); leads != nil {
		if err := n.Metrics.WatchStore(n.takingRole(), leads); err != nil {
			return err
		}
	}
	if n.prices != nil && n.prices.Book != nil {
		if err := n.Metrics.WatchPrices(metrics.Orchestrator, n.prices.Book.List); err != nil {
			return err
		}
	}
	if n.prices != nil && n.prices.Caps != nil {
		if err := n.Metrics.WatchPrices(metrics.Gateway, n.prices.Caps.List); err != nil {
			return err
		}
	}
	if n.gateway == nil || n.gateway.Paying == nil {
		return nil
	}
	account := n.chain.Signer.Address()
	return n.Metrics.WatchFunds(account, func(ctx context.Context) (protocol.SenderFunds, error) {
		return n.chain.Chain.SenderFunds(ctx, account)
	})
}

// takingRole is the role that has winning tickets.
func (n *node) takingRole() string {
	if n.Config.Roles.Orchestrator {
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
