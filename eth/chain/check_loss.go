package chain

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// checkLoss refuses what the contracts accept although it only loses money: a payment that cannot be
// returned, a bond that earns nothing, a vote that is not counted.
func checkLoss(a protocol.Action, f actionState, refuse refusal) error {
	switch a := a.(type) {
	case protocol.TransferTokens:
		return checkRecipient(a.To, f, refuse)
	case protocol.WithdrawFees:
		return checkRecipient(a.Recipient, f, refuse)
	case protocol.Bond:
		return checkDelegate(a.To, f, refuse)
	case protocol.RebondFromUnbonded:
		return checkDelegate(a.To, f, refuse)
	case protocol.VoteInPoll:
		if f.pollEnd == 0 {
			return refuse(fault.PollMissing, "there is no poll at %s", a.Poll)
		}
	}
	return nil
}

// checkRecipient refuses the protocol's contracts. Other contracts may be wallets.
func checkRecipient(to core.Address, f actionState, refuse refusal) error {
	for name, at := range f.contracts {
		if at == to {
			return refuse(fault.RecipientIsContract, "%s is the protocol's %s", to, name)
		}
	}
	return nil
}

// checkDelegate refuses an address that is not an orchestrator. The account itself
// becomes one by its bond.
func checkDelegate(to core.Address, f actionState, refuse refusal) error {
	if to == f.account || f.record.Registered {
		return nil
	}
	return refuse(fault.DelegateNotRegistered, "%s is not a registered orchestrator", to)
}
