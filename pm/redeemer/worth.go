package redeemer

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// available is what a sender's funds would pay the recipient now: the deposit, and
// what may still be claimed of the reserve, which is nothing for who is not active.
func available(funds protocol.SenderFunds, pool int, active bool) core.Wei {
	if !active {
		return funds.Deposit
	}
	return pm.Available(funds, pool)
}

// minus is a - b, or nothing.
func minus(a, b core.Wei) core.Wei {
	if a.Cmp(b) <= 0 {
		return core.Wei{}
	}
	return a.Sub(b)
}

func smaller(a, b core.Wei) core.Wei {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// times is the price of so much gas.
func times(price core.Wei, gas protocol.Gas) core.Wei {
	w, err := core.WeiOf(new(big.Int).Mul(price.Big(), new(big.Int).SetUint64(uint64(gas))))
	if err != nil {
		return price // no chain has such prices
	}
	return w
}

// per is what one unit of gas may cost for all to come to no more than value.
func per(value core.Wei, gas protocol.Gas) core.Wei {
	if gas == 0 {
		return core.Wei{}
	}
	w, _ := core.WeiOf(new(big.Int).Quo(value.Big(), new(big.Int).SetUint64(uint64(gas))))
	return w
}

// term is the time in which a ticket can be redeemed.
type term struct {
	// last is the last round, until its last layer-1 block as far as rounds keep
	// their length.
	last  protocol.Round
	until protocol.L1Block
	// over: the last round is. running: it has begun. ending: it will be over soon.
	over, running, ending bool
}

// termOf is a ticket's term, seen from the present round.
func termOf(created, validity protocol.Round, now protocol.RoundState, l1 protocol.L1Block) term {
	t := term{last: created + max(validity, 1) - 1}
	if t.over = now.Number > t.last; t.over {
		return t
	}
	t.until = now.Start + protocol.L1Block(t.last-now.Number+1)*now.Length - 1
	t.running = now.Number == t.last
	t.ending = l1+now.Length/4 >= t.until
	return t
}
