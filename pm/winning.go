package pm

import (
	"bytes"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
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

// maxWinProb is certainty, 2^256-1.
func maxWinProb() *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, 256), one)
}

// Wins draws: a ticket wins when the hash of its signature and the recipient's
// random number is below the win probability. Neither side can choose the hash,
// because each has bound its part before it sees the other's.
func Wins(sig []byte, rand protocol.Word, winProb protocol.Word) bool {
	draw := signature.Keccak256(sig, rand[:])
	return below(draw[:], winProb)
}

// below compares a draw of 32 bytes with a win probability, as numbers.
func below(draw []byte, winProb protocol.Word) bool { return bytes.Compare(draw, winProb[:]) < 0 }
