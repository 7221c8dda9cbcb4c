package requeststats

import (
	"math/big"

	"github.com/tuttinode/tutti/pm"
)

// priceRange is the prices that a gateway was quoted in an hour, and the one it expected.
type priceRange struct {
	lowest, highest, last pm.Price
	quotes                uint64
	expected              *pm.Price
}

// addPrice adds a request's prices.
func (h *hour) addPrice(gateway gatewayKey, q *Request) {
	s := h.prices[gateway]
	if s == nil {
		s = new(priceRange)
		h.prices[gateway] = s
	}
	if q.Expected != nil {
		expected := *q.Expected
		s.expected = &expected
	}
	if q.Quoted == nil {
		return
	}
	p := *q.Quoted
	if s.quotes == 0 || less(p, s.lowest) {
		s.lowest = p
	}
	if s.quotes == 0 || less(s.highest, p) {
		s.highest = p
	}
	s.last = p
	s.quotes++
}

// merge adds a later hour's prices.
func (s *priceRange) merge(later *priceRange) {
	if later.expected != nil {
		s.expected = later.expected
	}
	if later.quotes == 0 {
		return
	}
	if s.quotes == 0 || less(later.lowest, s.lowest) {
		s.lowest = later.lowest
	}
	if s.quotes == 0 || less(s.highest, later.highest) {
		s.highest = later.highest
	}
	s.last = later.last
	s.quotes += later.quotes
}

// less avoids big.Rat where the units are the same, as they usually are.
func less(a, b pm.Price) bool {
	if a.PixelsPerUnit == b.PixelsPerUnit {
		return a.PerUnit < b.PerUnit
	}
	return a.Rat().Cmp(b.Rat()) < 0
}

// rat returns a price of one unit, nil for nil.
func rat(p *pm.Price) *big.Rat {
	if p == nil {
		return nil
	}
	return p.Rat()
}
