package main

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/ledger"
)

// addBooks makes what the admin API and the metrics read of tickets, income and
// spending.
func (n *node) addBooks(ctx context.Context) error {
	var reader *ledger.Reader
	if e := n.earning; e != nil {
		reader = e.ledger.Reader
		n.books.Tickets = adminview.NewTickets(reader)
		sums := e.ledger.Summary()
		n.add(sums)
		n.books.Income = adminview.NewIncome(sums, n.chain.Reward, n.round)
		payers := adminview.PayingGateways{Recipient: e.recipient}
		if e.redeemer != nil {
			n.books.RetryRedemption, payers.Redeemer = e.redeemer.Retry, e.redeemer
		}
		if e.recipient != nil {
			n.books.Payers = payers.Payers
		}
	}
	if p := n.paying; p != nil {
		n.books.Spending, n.books.Credits = adminview.NewSpending(p.spent).Spending, adminview.NewCredits(p.sender)
	}
	return n.watchTickets(reader)
}

// round is the present round, 0 while it is not known.
func (n *node) round() protocol.Round {
	if v := n.chain.View(); v.Known {
		return v.Round.Number
	}
	return 0
}

// quotes are nil where no tickets are taken.
func (n *node) quotes() *adminview.PriceQuotes {
	if n.earning == nil || n.earning.recipient == nil {
		return nil
	}
	r := n.earning.recipient
	return &adminview.PriceQuotes{
		Book: n.prices.Book, Quote: r.Quote, Paying: adminview.Payers(r),
		Terms: func() adminapi.TicketTerms {
			return adminapi.TicketTerms{TicketEV: n.cfg.Tickets.EV, MaxFaceValue: r.MaxFaceValue()}
		},
	}
}
