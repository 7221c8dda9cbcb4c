package pm

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Expiration binds a ticket to a round of the chain. Both zero is none.
type Expiration struct {
	Round protocol.Round
	// BlockHash is the hash that the chain recorded for that round.
	BlockHash protocol.Hash
}

// Params are what a recipient hands out for tickets to be made with. They are
// stateless: the recipient finds its random number again from them.
type Params struct {
	Recipient         core.Address
	FaceValue         core.Wei
	WinProb           protocol.Word
	RecipientRandHash protocol.Hash
	// Seed makes each set of parameters another one.
	Seed protocol.Word
	// ExpirationBlock is the layer-1 block from which on tickets are refused.
	ExpirationBlock protocol.L1Block
	Expiration      Expiration
}

// EV returns the expected value of one ticket: face value · win probability / (2^256-1).
func (p *Params) EV() Value {
	n := new(big.Int).Mul(p.FaceValue.Big(), p.WinProb.Big())
	return Value{new(big.Rat).SetFrac(n, maxWinProb())}
}

// Signed is one ticket of a payment: what differs between the tickets of a set.
type Signed struct {
	Nonce uint32
	// Sig is the sender's signature; anything but 65 bytes is invalid.
	Sig []byte
}

// Payment is what comes with a job. Its numbers are those of the message; nothing
// in it has been checked.
type Payment struct {
	// Params is nil when no tickets were sent.
	Params *Params
	// Sender is zero when the message has none; off-chain it always is.
	Sender core.Address
	// Expiration is the payment's own; HasExpiration says whether there was one.
	Expiration    Expiration
	HasExpiration bool
	Tickets       []Signed
	// Expected is the price as the sender knows it; nil when there was none, or one
	// per 0 pixels, or a negative one.
	Expected *Price
}
