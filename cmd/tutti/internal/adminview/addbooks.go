package adminview

import (
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
)

// NewBooks makes what the admin API reads of tickets, income and spending.
func NewBooks(p *Parts) (books admin.Books) {
	if e := p.Earning; e != nil {
		books.Tickets = NewTickets(e.Ledger.Reader)
		sums := e.Ledger.Summary()
		p.Add(sums)
		books.Income = NewIncome(sums, p.Chain.Reward, p.Round)
		payers := PayingGateways{Recipient: e.Recipient}
		if e.Redeemer != nil {
			books.RetryRedemption, payers.Redeemer = e.Redeemer.Retry, e.Redeemer
		}
		if e.Recipient != nil {
			books.Payers = payers.Payers
		}
	}
	if paying := p.Paying(); paying != nil {
		books.Spending, books.Credits = NewSpending(paying.Spent, paying.Sender.Balances).Spending, NewCredits(paying.Sender)
	}
	return books
}

// quotes are nil where no tickets are taken.
func quotes(p *Parts) *PriceQuotes {
	if p.Earning == nil || p.Earning.Recipient == nil {
		return nil
	}
	r := p.Earning.Recipient
	return &PriceQuotes{
		Book: p.Prices.Book, Quote: r.Quote, Paying: Payers(r),
		Terms: func() adminapi.TicketTerms {
			return adminapi.TicketTerms{TicketEV: p.Config.Tickets.EV, MaxFaceValue: r.MaxFaceValue()}
		},
	}
}
