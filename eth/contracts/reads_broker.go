package contracts

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// Sender asks for a gateway's money.
func (r Reads) Sender(account core.Address, out *protocol.Sender) Read {
	return view("TicketBroker.getSenderInfo", r.a.TicketBroker, brokerABI.PackGetSenderInfo(common.Address(account)),
		brokerABI.UnpackGetSenderInfo,
		func(c *convert, v bindings.GetSenderInfoOutput) {
			out.Deposit, out.WithdrawRound = c.wei(v.Sender.Deposit), c.round(v.Sender.WithdrawRound)
			out.Reserve.FundsRemaining = c.wei(v.Reserve.FundsRemaining)
			out.Reserve.ClaimedInCurrentRound = c.wei(v.Reserve.ClaimedInCurrentRound)
		})
}

// ClaimedReserve asks what an orchestrator drew of a gateway's reserve in this
// round.
func (r Reads) ClaimedReserve(sender, claimant core.Address, out *core.Wei) Read {
	return view("TicketBroker.claimedReserve", r.a.TicketBroker,
		brokerABI.PackClaimedReserve(common.Address(sender), common.Address(claimant)), brokerABI.UnpackClaimedReserve,
		set(out, (*convert).wei))
}

// UsedTicket asks whether a ticket was redeemed, whatever it paid.
func (r Reads) UsedTicket(ticket protocol.Hash, out *bool) Read {
	return view("TicketBroker.usedTickets", r.a.TicketBroker, brokerABI.PackUsedTickets(ticket),
		brokerABI.UnpackUsedTickets, setBool(out))
}
