package earnings

import (
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Spending is what a gateway paid whom for what. The rows' sums are Value, Open and Billed.
type Spending struct {
	Rows                []paymentlog.Total
	Value, Open, Billed pm.Value
}

// SpendingQuery asks the account of payments for what MakeSpending needs.
func SpendingQuery() paymentlog.Query {
	return paymentlog.Query{Day: true, Recipient: true, Model: true}
}

// MakeSpending adds totals up, which are shown as they are.
func MakeSpending(totals []paymentlog.Total) *Spending {
	s := &Spending{Rows: totals}
	for i := range totals {
		s.Value, s.Open, s.Billed = s.Value.Add(totals[i].Value), s.Open.Add(totals[i].Open), s.Billed.Add(totals[i].Billed)
	}
	return s
}
