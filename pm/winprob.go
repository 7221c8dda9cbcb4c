package pm

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// WinProb returns the probability at which a ticket is worth ticketEV. It is rounded up,
// so that a ticket is never worth less: a sender that pays exactly one would miss
// the balance by a hair. A face value of no more than ticketEV wins always.
func WinProb(faceValue, ticketEV core.Wei) protocol.Word {
	if faceValue.IsZero() {
		return protocol.Word{}
	}
	q, rest := new(big.Int).QuoRem(maxWinProb(), faceValue.Big(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	q.Mul(q, ticketEV.Big())
	if certain := maxWinProb(); faceValue.Cmp(ticketEV) <= 0 || q.Cmp(certain) > 0 {
		q = certain
	}
	w, _ := protocol.WordOf(q)
	return w
}
