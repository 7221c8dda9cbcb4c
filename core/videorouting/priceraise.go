package videorouting

import "math/big"

// maxRaise bounds a later price to this multiple of the price at which an orchestrator was chosen;
// the same limit holds within a session. A higher price is a new offer and has to be chosen again.
const maxRaise = 2

// raised reports whether a price is above that limit; nil is free.
func raised(first, now *big.Rat) bool {
	switch {
	case now == nil || now.Sign() <= 0:
		return false
	case first == nil:
		return true
	}
	return now.Cmp(new(big.Rat).Mul(first, big.NewRat(maxRaise, 1))) > 0
}
