package sender

import (
	"github.com/tuttinode/tutti/pm"
)

// Wear says how far terms are used up.
type Wear int

// The degrees of wear.
const (
	// Fresh terms can be used for a while.
	Fresh Wear = iota
	// Worn terms should be replaced while they are still used.
	Worn
	// Stale terms cannot be used.
	Stale
)

// Wear classifies a set of parameters. Free work uses nothing up.
func (s *Sender) Wear(t *Terms) Wear {
	if t.Price.Free() || t.Params == nil || t.ev.Sign() <= 0 {
		return Fresh
	}
	l1 := s.opt.Chain.View().Head.L1
	if pm.CheckParams(t.Params, l1) != nil {
		return Stale
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	used := 0
	if x := s.sets[t.set()]; x != nil {
		used = int(x.next - 1)
	}
	switch {
	case used >= t.Nonces:
		return Stale
	case used >= t.Nonces/2, t.Params.ExpirationBlock-l1 <= wornBlocks:
		return Worn
	}
	return Fresh
}
