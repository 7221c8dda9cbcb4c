package earnings

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Spending is what a gateway paid to each orchestrator for what. The rows' sums are Value, Open, Billed, Cost and
// Charged. Value is Cost, Balance, WrittenOff and Unsettled together.
type Spending struct {
	Rows                      []paymentlog.Total
	Value, Open, Billed, Cost pm.Value
	Charged                   core.Wei
	// Balance is what is left at orchestrators for further jobs, less what is owed to them.
	Balance pm.Value
	// WrittenOffBy is what balances held that are not counted on any more, by day and reason.
	WrittenOffBy []paymentlog.WriteOff
	WrittenOff   pm.Value
}

// SpendingQuery requests what MakeSpending needs from the payment log.
func SpendingQuery() paymentlog.Query {
	return paymentlog.Query{Day: true, Recipient: true, Model: true}
}

// MakeSpending adds up totals, and what was written off; the rows stay as they are.
func MakeSpending(totals []paymentlog.Total, balance pm.Value, writtenOff []paymentlog.WriteOff) *Spending {
	s := &Spending{Rows: totals, Balance: balance, WrittenOffBy: writtenOff}
	for i := range totals {
		t := &totals[i]
		s.Value, s.Open, s.Billed = s.Value.Add(t.Value), s.Open.Add(t.Open), s.Billed.Add(t.Billed)
		s.Cost, s.Charged = s.Cost.Add(t.Cost), s.Charged.Add(t.Charged)
	}
	for i := range writtenOff {
		s.WrittenOff = s.WrittenOff.Add(writtenOff[i].Value)
	}
	return s
}

// Unsettled is what jobs in progress hold. After the node was killed it has what balances held then, and what jobs in
// progress had sent.
func (s *Spending) Unsettled() pm.Value {
	return s.Value.Sub(s.Cost).Sub(s.Balance).Sub(s.WrittenOff)
}
