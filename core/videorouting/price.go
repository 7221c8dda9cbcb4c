package videorouting

import "math/big"

// maxRaise is how many times the price with which an orchestrator was chosen it may ask
// for later on, the same that holds within one of its sessions. More is a new offer, and
// has to be chosen again.
const maxRaise = 2

// raised reports whether a price is no longer what the choice was made for; nil is free.
func raised(first, now *big.Rat) bool {
	switch {
	case now == nil || now.Sign() <= 0:
		return false
	case first == nil:
		return true
	}
	return now.Cmp(new(big.Rat).Mul(first, big.NewRat(maxRaise, 1))) > 0
}
