package contracts

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// FundDeposit adds to what the account's tickets are paid from. It ends an unlock
// in progress, as every funding does.
func (c Calls) FundDeposit(amount core.Wei) Call {
	about := fmt.Sprintf("add %s ETH to the deposit", amount.Ether())
	return call(protocol.FundDeposit{}.Verb(), c.a.TicketBroker, brokerABI.PackFundDeposit(), about).paying(amount)
}

// FundReserve adds to what the active set is promised.
func (c Calls) FundReserve(amount core.Wei) Call {
	about := fmt.Sprintf("add %s ETH to the reserve", amount.Ether())
	return call(verbFundReserve, c.a.TicketBroker, brokerABI.PackFundReserve(), about).paying(amount)
}

// FundDepositAndReserve adds to both.
func (c Calls) FundDepositAndReserve(deposit, reserve core.Wei) Call {
	about := fmt.Sprintf("add %s ETH to the deposit and %s ETH to the reserve", deposit.Ether(), reserve.Ether())
	data := brokerABI.PackFundDepositAndReserve(deposit.Big(), reserve.Big())
	return call(protocol.FundDepositAndReserve{}.Verb(), c.a.TicketBroker, data, about).paying(deposit.Add(reserve))
}

// Unlock starts the unlock period of deposit and reserve.
func (c Calls) Unlock() Call {
	return call(protocol.Unlock{}.Verb(), c.a.TicketBroker, brokerABI.PackUnlock(), "unlock deposit and reserve")
}

// CancelUnlock ends it.
func (c Calls) CancelUnlock() Call {
	return call(protocol.CancelUnlock{}.Verb(), c.a.TicketBroker, brokerABI.PackCancelUnlock(),
		"keep deposit and reserve locked")
}

// WithdrawFunds pays both out.
func (c Calls) WithdrawFunds() Call {
	return call(protocol.WithdrawFunds{}.Verb(), c.a.TicketBroker, brokerABI.PackWithdraw(),
		"withdraw deposit and reserve")
}
