package sender

import (
	"math"
	"math/big"

	"github.com/tuttinode/tutti/pm"
)

// MostUnits returns how many units one job may have under some terms for its payment to be within
// this gateway's limits, with an empty balance and no other running job: 0 if a single ticket
// exceeds them, so that no job can be paid for.
func (s *Sender) MostUnits(t *Terms) int64 {
	if t.Price.Free() || t.ev.Sign() <= 0 {
		return math.MaxInt64
	}
	l := s.opt.Limits
	tickets := min(maxTickets, t.Nonces, ticketsWithin(pm.WeiValue(l.MaxTotalEV), t.ev))
	if !l.MaxCredit.IsZero() {
		tickets = min(tickets, ticketsWithin(s.maxPaymentCredit(t), ceilWei(t.ev)))
	}
	if tickets == 0 {
		return 0
	}
	units := new(big.Rat).Quo(t.ev.Times(int64(tickets)).Rat(), t.Price.Rat())
	whole := new(big.Int).Quo(units.Num(), units.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return whole.Int64()
}

// maxPaymentCredit returns the most that one payment may add to an orchestrator's credit: it leaves
// an eighth of all to other clients, or is within the share of a client for which the
// orchestrator did all its recent work.
func (s *Sender) maxPaymentCredit(t *Terms) pm.Value {
	limit := pm.WeiValue(s.opt.Limits.MaxCredit)
	bound := limit
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.credits[t.payee()]; c != nil {
		c.advance(s.opt.Now())
		bound = c.bound(limit)
	}
	share := divide(limit, clientShare).Add(bound.Sub(limit))
	return maxValue(share, bound.Sub(divide(bound, clientShare)))
}

// ticketsWithin returns how many tickets of an expected value are within a limit.
func ticketsWithin(limit, ev pm.Value) int {
	n := new(big.Rat).Quo(limit.Rat(), ev.Rat())
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if !whole.IsInt64() {
		return math.MaxInt
	}
	return int(min(whole.Int64(), math.MaxInt))
}
