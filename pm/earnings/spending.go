package earnings

import (
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Spending is what a gateway paid to each orchestrator for what. The rows' sums are Value, Open
// and Billed.
type Spending struct {
	Rows                []paymentlog.Total
	Value, Open, Billed pm.Value
}

// SpendingQuery requests what MakeSpending needs from the payment log.
func SpendingQuery() paymentlog.Query {
	return paymentlog.Query{Day: true, Recipient: true, Model: true}
}

// MakeSpending adds up totals; the rows stay as they are.
func MakeSpending(totals []paymentlog.Total) *Spending {
	s := &Spending{Rows: totals}
	for i := range totals {
		s.Value, s.Open, s.Billed = s.Value.Add(totals[i].Value), s.Open.Add(totals[i].Open), s.Billed.Add(totals[i].Billed)
	}
	return s
}
