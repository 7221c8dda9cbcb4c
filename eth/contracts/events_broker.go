package contracts

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// brokerEvents are the kinds that the ticket broker sends.
func brokerEvents() map[common.Hash]decode {
	return map[common.Hash]decode{
		topicOf("DepositFunded(address,uint256)"): reading(brokerABI.UnpackDepositFundedEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerDepositFunded) Event {
				return DepositFunded{o, core.Address(v.Sender), c.wei(v.Amount)}
			}),
		topicOf("ReserveFunded(address,uint256)"): reading(brokerABI.UnpackReserveFundedEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerReserveFunded) Event {
				return ReserveFunded{o, core.Address(v.ReserveHolder), c.wei(v.Amount)}
			}),
		topicOf("ReserveClaimed(address,address,uint256)"): reading(brokerABI.UnpackReserveClaimedEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerReserveClaimed) Event {
				return ReserveClaimed{o, core.Address(v.ReserveHolder), core.Address(v.Claimant), c.wei(v.Amount)}
			}),
		topicOf("Withdrawal(address,uint256,uint256)"): reading(brokerABI.UnpackWithdrawalEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerWithdrawal) Event {
				return Withdrawal{o, core.Address(v.Sender), c.wei(v.Deposit), c.wei(v.Reserve)}
			}),
		topicOf("Unlock(address,uint256,uint256)"): reading(brokerABI.UnpackUnlockEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerUnlock) Event {
				return Unlock{o, core.Address(v.Sender), c.round(v.StartRound), c.round(v.EndRound)}
			}),
		topicOf("UnlockCancelled(address)"): reading(brokerABI.UnpackUnlockCancelledEvent,
			func(_ *convert, o Origin, v *bindings.TicketBrokerUnlockCancelled) Event {
				return UnlockCancelled{o, core.Address(v.Sender)}
			}),
		topicOf("WinningTicketTransfer(address,address,uint256)"): reading(brokerABI.UnpackWinningTicketTransferEvent,
			func(c *convert, o Origin, v *bindings.TicketBrokerWinningTicketTransfer) Event {
				return WinningTicketTransfer{o, core.Address(v.Sender), core.Address(v.Recipient), c.wei(v.Amount)}
			}),
		topicOf("WinningTicketRedeemed(address,address,uint256,uint256,uint256,uint256,bytes)"): reading(
			brokerABI.UnpackWinningTicketRedeemedEvent, redeemed),
	}
}

// redeemed keeps a sender nonce that no node would make out of the domain: it
// comes from a ticket that is not ours.
func redeemed(c *convert, o Origin, v *bindings.TicketBrokerWinningTicketRedeemed) Event {
	e := WinningTicketRedeemed{
		Origin: o, Sender: core.Address(v.Sender), Recipient: core.Address(v.Recipient),
		FaceValue: c.wei(v.FaceValue), WinProb: c.word(v.WinProb),
		RecipientRand: c.word(v.RecipientRand), AuxData: bytes.Clone(v.AuxData),
	}
	if v.SenderNonce != nil && v.SenderNonce.IsUint64() {
		e.SenderNonce = v.SenderNonce.Uint64()
	}
	return e
}
