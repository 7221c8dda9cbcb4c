package protocol

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
)

// Word is a number of 256 bits, big-endian, as contracts and hashes have it: a
// win probability as a share of 2^256-1, a recipient's random number.
type Word [32]byte

// Big returns the number.
func (w Word) Big() *big.Int { return new(big.Int).SetBytes(w[:]) }

// IsZero reports whether the number is 0.
func (w Word) IsZero() bool { return w == Word{} }

// WordOf copies a number; false when it is negative or longer than 256 bits.
func WordOf(n *big.Int) (w Word, ok bool) {
	if n.Sign() < 0 || n.BitLen() > 256 {
		return Word{}, false
	}
	n.FillBytes(w[:])
	return w, true
}

// WinningTicket is a signed ticket with the number that shows that it won, as the ticket broker takes it.
// Whether it wins is not checked here.
type WinningTicket struct {
	Recipient, Sender core.Address
	FaceValue         core.Wei
	WinProb           Word
	SenderNonce       uint64
	RecipientRandHash Hash
	// CreationRound and CreationRoundHash bind the ticket to its time.
	CreationRound     Round
	CreationRoundHash Hash
	// Signature is the sender's: r, s and v as they take part in the draw.
	Signature     [65]byte
	RecipientRand Word
}

// SenderFunds is a gateway's funds for one orchestrator.
type SenderFunds struct {
	Sender
	// Claimed is what the orchestrator claimed of the reserve in the present round.
	Claimed core.Wei
}

// Payout is the result of redeeming one ticket.
type Payout struct {
	Sender, Recipient core.Address
	SenderNonce       uint64
	RecipientRand     Word
	FaceValue         core.Wei
	// Paid is what the recipient got, which may be less than the face value, even
	// nothing. FromReserve is the part of it that the reserve paid.
	Paid, FromReserve core.Wei
	Tx                TxHash
	Block             L2Block
	// Gas and Fee are the transaction's, 0 when another account sent it. A
	// transaction with several payouts has them on the first.
	Gas Gas
	Fee core.Wei
}
