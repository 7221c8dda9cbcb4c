package contracts

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// packed returns a ticket in the contract's form.
func packed(t *protocol.WinningTicket) bindings.TicketBrokerTicket {
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

func describe(t *protocol.WinningTicket) string {
	return fmt.Sprintf("ticket %d of %s over %s ETH for %s", t.SenderNonce, t.Sender, t.FaceValue.Ether(), t.Recipient)
}

// RedeemWinningTicket pays the ticket's value to its recipient. Any account may send it.
func (c Calls) RedeemWinningTicket(t protocol.WinningTicket) Call {
	data := brokerABI.PackRedeemWinningTicket(packed(&t), t.Signature[:], t.RecipientRand.Big())
	return call(protocol.RedeemTicket{}.Verb(), c.a.TicketBroker, data, "redeem "+describe(&t))
}

// BatchRedeem redeems several tickets in one transaction. It succeeds although single tickets fail: only the
// events say which were paid.
func (c Calls) BatchRedeem(tickets []protocol.WinningTicket) Call {
	all := make([]bindings.TicketBrokerTicket, len(tickets))
	signatures := make([][]byte, len(tickets))
	rands := make([]*big.Int, len(tickets))
	total := core.Wei{}
	for i := range tickets {
		t := &tickets[i]
		all[i], signatures[i], rands[i] = packed(t), t.Signature[:], t.RecipientRand.Big()
		total = total.Add(t.FaceValue)
	}
	data := brokerABI.PackBatchRedeemWinningTickets(all, signatures, rands)
	return call(protocol.RedeemTickets{}.Verb(), c.a.TicketBroker, data, fmt.Sprintf("redeem %d tickets over %s ETH",
		len(tickets), total.Ether()))
}
