package adminview

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/server/metrics"
)

// watchTickets adds the series of tickets and prices that are looked up at every
// scrape.
func (p source) watchTickets() error {
	if p.Metrics == nil || p.Chain == nil {
		return nil
	}
	if p.Earning != nil {
		if err := p.Metrics.WatchWinners(p.takingRole(), p.winnerState(p.Earning.Ledger.Reader)); err != nil {
			return err
		}
	}
	if leads := p.Earning.Leads(); leads != nil {
		if err := p.Metrics.WatchStore(p.takingRole(), leads); err != nil {
			return err
		}
	}
	if p.Prices != nil && p.Prices.Book != nil {
		if err := p.Metrics.WatchPrices(metrics.Orchestrator, p.Prices.Book.List); err != nil {
			return err
		}
	}
	if p.Prices != nil && p.Prices.Caps != nil {
		if err := p.Metrics.WatchPrices(metrics.Gateway, p.Prices.Caps.List); err != nil {
			return err
		}
	}
	if p.Paying() == nil || p.Chain == nil {
		return nil
	}
	account := p.Chain.Signer.Address()
	return p.Metrics.WatchFunds(account, func(ctx context.Context) (protocol.SenderFunds, error) {
		return p.Chain.Chain.SenderFunds(ctx, account)
	})
}

// takingRole returns the role that has winning tickets.
func (p source) takingRole() string {
	if p.Config.Roles.Orchestrator {
		return metrics.Orchestrator
	}
	return metrics.Redeemer
}

// winnerState returns a function that counts winning tickets by state.
func (p source) winnerState(books *ledger.Reader) func(context.Context) (metrics.WinnerState, error) {
	return func(ctx context.Context) (metrics.WinnerState, error) {
		out := metrics.WinnerState{Counts: map[string]int{}}
		counts, err := books.Counts(ctx)
		if err != nil {
			return out, err
		}
		for state, some := range counts {
			out.Counts[string(state)] = some
		}
		open, err := books.Winners(ctx,
			ledger.Filter{States: []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted}})
		now := p.Round()
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
