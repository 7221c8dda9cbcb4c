package rpc

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// FromTicket reads a winning ticket that is handed to a redeemer, and the layer-1
// block from which on it may be redeemed. The error is the fault PaymentMessage.
func FromTicket(m *Ticket) (protocol.WinningTicket, protocol.L1Block, error) {
	t, expires, err := readTicket(m)
	if err != nil {
		return protocol.WinningTicket{}, 0, &fault.Fault{Code: fault.PaymentMessage, Op: "read ticket", Detail: err.Error(),
			Err: err}
	}
	return t, expires, nil
}

func readTicket(m *Ticket) (protocol.WinningTicket, protocol.L1Block, error) {
	var none protocol.WinningTicket
	// A ticket has the parts of a payment of one ticket.
	p, err := readPayment(&Payment{TicketParams: m.GetTicketParams(), Sender: m.GetSender(),
		ExpirationParams: m.GetExpirationParams()})
	switch {
	case err != nil:
		return none, 0, err
	case p.Params == nil:
		return none, 0, errors.New("ticket without ticket_params")
	}
	signed := pm.Signed{Nonce: m.GetSenderParams().GetSenderNonce(), Sig: m.GetSenderParams().GetSig()}
	if n := len(none.Signature); len(signed.Sig) != n {
		return none, 0, fmt.Errorf("sig of %d bytes instead of %d", len(signed.Sig), n)
	}
	var rand protocol.Word
	if err := number(rand[:], m.GetRecipientRand(), "recipient_rand"); err != nil {
		return none, 0, err
	}
	return p.Params.Winning(p.Sender, signed, rand), p.Params.ExpirationBlock, nil
}

// ToTicket returns the message of a winning ticket for a redeemer. Its seed is left out,
// because the random number makes it unnecessary.
func ToTicket(t *protocol.WinningTicket, expires protocol.L1Block) *Ticket {
	params := pm.Params{
		Recipient: t.Recipient, FaceValue: t.FaceValue, WinProb: t.WinProb,
		RecipientRandHash: t.RecipientRandHash, ExpirationBlock: expires,
	}
	return &Ticket{
		TicketParams:     writeParams(&params),
		Sender:           bytes.Clone(t.Sender[:]),
		ExpirationParams: writeExpiration(pm.Expiration{Round: t.CreationRound, BlockHash: t.CreationRoundHash}),
		SenderParams: &TicketSenderParams{
			// Nonces of payments have 32 bits.
			SenderNonce: uint32(t.SenderNonce),
			Sig:         bytes.Clone(t.Signature[:]),
		},
		RecipientRand: minimal(t.RecipientRand[:]),
	}
}
