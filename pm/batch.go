package pm

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// TicketsFor returns how many tickets of a value a payment needs so that, with what is
// there already, minCredit is reached. Tickets without value reach nothing: 0. A
// number beyond what a payment may hold becomes 2^31-1.
func TicketsFor(minCredit, existing, ev Value) int {
	missing := minCredit.Sub(existing)
	if missing.Sign() <= 0 || ev.Sign() <= 0 {
		return 0
	}
	n := Value{new(big.Rat).Quo(missing.rat(), ev.rat())}.Neg().Floor()
	n.Neg(n) // rounded up
	if !n.IsInt64() || n.Int64() > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(n.Int64())
}

// Batch makes n tickets with the nonces from first on. sign signs a TicketDigest and
// gives 65 bytes whose last one is 27 or 28. Nonces end at MaxNonce.
func (p *Params) Batch(sender core.Address, first uint32, n int, sign func(digest [32]byte) ([]byte, error)) ([]Signed,
	error) {
	if n < 0 || int64(first)+int64(n)-1 > MaxNonce {
		return nil, fmt.Errorf("%d tickets from number %d on: %w", n, first, ErrNonceTooMany)
	}
	tickets := make([]Signed, 0, n)
	for nonce := first; len(tickets) < n; nonce++ {
		sig, err := sign(TicketDigest(p.TicketHash(sender, nonce)))
		if err != nil {
			return nil, fmt.Errorf("sign ticket %d: %w", nonce, err)
		}
		tickets = append(tickets, Signed{Nonce: nonce, Sig: sig})
	}
	return tickets, nil
}
