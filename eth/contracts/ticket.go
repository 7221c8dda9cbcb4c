package contracts

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// Word is a number of 256 bits, big-endian: a win probability as a share of
// 2^256-1, a recipient's random number.
type Word [32]byte

// Big returns the number.
func (w Word) Big() *big.Int { return new(big.Int).SetBytes(w[:]) }

// Ticket is a signed ticket with the number that shows it won, as the broker takes
// it. Whether it does win is not judged here.
type Ticket struct {
	Recipient, Sender core.Address
	FaceValue         core.Wei
	WinProb           Word
	SenderNonce       uint64
	RecipientRandHash protocol.Hash
	// CreationRound and CreationRoundHash bind the ticket to its time.
	CreationRound     protocol.Round
	CreationRoundHash protocol.Hash
	// Signature is the sender's, r, s and v as they take part in the draw.
	Signature     [65]byte
	RecipientRand Word
}

// AuxData is the creation round and its hash as the ticket's hash covers them.
func (t Ticket) AuxData() []byte {
	round := common.BigToHash(new(big.Int).SetUint64(uint64(t.CreationRound)))
	return append(round[:], t.CreationRoundHash[:]...)
}

// packed is the ticket in the contract's form.
func (t Ticket) packed() bindings.TicketBrokerTicket {
	return bindings.TicketBrokerTicket{
		Recipient:         common.Address(t.Recipient),
		Sender:            common.Address(t.Sender),
		FaceValue:         t.FaceValue.Big(),
		WinProb:           t.WinProb.Big(),
		SenderNonce:       new(big.Int).SetUint64(t.SenderNonce),
		RecipientRandHash: t.RecipientRandHash,
		AuxData:           t.AuxData(),
	}
}

func (t Ticket) String() string {
	return fmt.Sprintf("ticket %d of %s over %s ETH for %s", t.SenderNonce, t.Sender, t.FaceValue.Ether(), t.Recipient)
}

// RedeemWinningTicket books the ticket's value for its recipient. Anybody may send
// it.
func (c Calls) RedeemWinningTicket(t Ticket) Call {
	data := brokerABI.PackRedeemWinningTicket(t.packed(), t.Signature[:], t.RecipientRand.Big())
	return call(verbRedeem, c.a.TicketBroker, data, "redeem "+t.String())
}

// BatchRedeem books several tickets in one transaction. It succeeds although
// single tickets fail: only the events say which were paid.
func (c Calls) BatchRedeem(tickets []Ticket) Call {
	packed := make([]bindings.TicketBrokerTicket, len(tickets))
	signatures := make([][]byte, len(tickets))
	rands := make([]*big.Int, len(tickets))
	total := core.Wei{}
	for i, t := range tickets {
		packed[i], signatures[i], rands[i] = t.packed(), t.Signature[:], t.RecipientRand.Big()
		total = total.Add(t.FaceValue)
	}
	data := brokerABI.PackBatchRedeemWinningTickets(packed, signatures, rands)
	return call(verbRedeemBatch, c.a.TicketBroker, data, fmt.Sprintf("redeem %d tickets over %s ETH", len(tickets), total.Ether()))
}
