package recipient

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// maxDebtPerEstimate is how many times its estimate a job may leave unpaid: clients that do
	// not say how long their segments are make gateways announce two seconds, and send ten.
	maxDebtPerEstimate = 8
	// maxDebtTickets bounds that in tickets, whatever was announced.
	maxDebtTickets = 256
	// debtTolerance: one part in so many of what a gateway paid within debtLifetime may be
	// owed. A segment's estimate is not exact, and an honest gateway never learns of a deficit
	// if its session ends there.
	debtTolerance = 20
)

// Covers checks whether the account pays for the actual work. An estimate is not exact, so as
// much again may be owed for a moment; and more, if it is little of what its gateway paid, or
// if it is all that the gateway owes.
func (h *hold) Covers(units int64) error {
	if h.a == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != holdActive {
		return nil
	}
	ticket := pm.WeiValue(h.r.opt.TicketEV)
	most := h.cost.Times(maxDebtPerEstimate)
	if limit := ticket.Times(maxDebtTickets); limit.Cmp(most) < 0 {
		most = limit
	}
	expected, err := h.a.coversBill(h.cost, h.bill.Price.Of(max(0, units)), atLeast(h.cost, ticket), most)
	if err != nil {
		h.r.opt.Recorder.PaymentRefused(h.a.id.Sender, string(fault.CodeOf(err)))
		return err
	}
	h.a.payer.dropExpected(h.expectedDebt)
	h.expectedDebt = expected
	return nil
}

// coversBill checks whether the account covers a bill for which cost was reserved, up to a
// deficit of owing. Beyond that its gateway may owe no more than most in all its accounts
// together. What is expected of it counts until the job ends.
func (a *account) coversBill(cost, bill, owing, most pm.Value) (expected pm.Value, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.inProgress.Sub(cost)
	missing := bill.Sub(a.balance.Sub(others))
	switch {
	case missing.Cmp(owing) <= 0:
		return pm.Value{}, nil
	case a.payer.expectDebt(missing, a.deficitLocked(), most):
		return missing, nil
	}
	return pm.Value{}, insufficient("bill a job")
}

// excusedLocked reports whether a debt is within the tolerance of what the gateway paid in the
// same time.
func (p *payer) excusedLocked(debt pm.Value) bool {
	return debt.Times(debtTolerance).Cmp(p.recent.paid) <= 0
}

// expectDebt adds what a job will leave unpaid in an account with the given deficit, if all
// that is owed then is at most most, or within the tolerance. It counts until dropExpected.
func (p *payer) expectDebt(missing, here, most pm.Value) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	debt := p.deficit.Sub(here).Add(p.expectedDebt).Add(missing)
	p.recent.forget(p.now())
	if net := p.recent.net(); net.Sign() > 0 {
		debt = debt.Add(net)
	}
	if debt.Cmp(most) > 0 && !p.excusedLocked(debt) {
		return false
	}
	p.expectedDebt = p.expectedDebt.Add(missing)
	return true
}

// dropExpected removes an expected debt: by now it is in an account, or nothing is owed.
func (p *payer) dropExpected(expected pm.Value) {
	if expected.Sign() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expectedDebt = p.expectedDebt.Sub(expected)
}
