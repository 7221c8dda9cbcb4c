package sender

import (
	"math"
	"math/big"

	"github.com/tuttinode/tutti/pm"
)

// MostUnits is how many units one job may have under some terms for its payment to be
// within this gateway's limits, with nothing left over from jobs before: 0 where a single
// ticket is beyond them, so that no job can be paid for.
func (s *Sender) MostUnits(t *Terms) int64 {
	if t.Price.Free() || t.ev.Sign() <= 0 {
		return math.MaxInt64
	}
	l := s.opt.Limits
	tickets := min(maxTickets, t.Nonces, within(pm.WeiValue(l.MaxTotalEV), t.ev))
	if !l.MaxCredit.IsZero() {
		// One payment leaves an eighth of what an orchestrator may hold to other clients.
		all := pm.WeiValue(l.MaxCredit)
		tickets = min(tickets, within(all.Sub(part(all, clientShare)), wholeUp(t.ev)))
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

// within is how many tickets of a worth are within a limit.
func within(limit, ev pm.Value) int {
	n := new(big.Rat).Quo(limit.Rat(), ev.Rat())
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if !whole.IsInt64() {
		return math.MaxInt
	}
	return int(min(whole.Int64(), math.MaxInt))
}
