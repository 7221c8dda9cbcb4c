package contracts

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Origin is where in the chain an event is.
type Origin struct {
	Block     protocol.L2Block
	BlockHash protocol.Hash
	Tx        protocol.TxHash
	// Index orders the events of a block.
	Index uint
	// Removed: a reorg undid it.
	Removed bool
}

// Event is one event of the protocol's contracts.
type Event interface{ From() Origin }

// From returns where the event is.
func (o Origin) From() Origin { return o }

// Rounds, rewards and the pool.
type (
	// NewRound: a round was initialized.
	NewRound struct {
		Origin
		Round protocol.Round
		Hash  protocol.Hash
	}
	// TranscoderActivated: an orchestrator joined the pool, active from Round on.
	TranscoderActivated struct {
		Origin
		Orchestrator core.Address
		Round        protocol.Round
	}
	// TranscoderDeactivated: an orchestrator left it, active until before Round.
	TranscoderDeactivated struct {
		Origin
		Orchestrator core.Address
		Round        protocol.Round
	}
	// TranscoderUpdate: an orchestrator set its cuts.
	TranscoderUpdate struct {
		Origin
		Orchestrator        core.Address
		RewardCut, FeeShare core.PerMillion
	}
	// Reward: a reward was minted; Amount is without the treasury's part.
	Reward struct {
		Origin
		Orchestrator core.Address
		Amount       core.LPT
	}
	// TreasuryReward is that part.
	TreasuryReward struct {
		Origin
		Orchestrator core.Address
		Amount       core.LPT
	}
	// RewardCallerSet: an orchestrator named a reward caller, or none.
	RewardCallerSet struct {
		Origin
		Orchestrator, Caller core.Address
	}
	// ServiceURIUpdate: an address set its service URI in Registry.
	ServiceURIUpdate struct {
		Origin
		Registry, Address core.Address
		URI               string
	}
)

// Stake.
type (
	// Bond: stake was added or moved; Bonded is the delegator's sum after it.
	Bond struct {
		Origin
		NewDelegate, OldDelegate, Delegator core.Address
		Added, Bonded                       core.LPT
	}
	// Unbond: stake went into a lock.
	Unbond struct {
		Origin
		Delegate, Delegator core.Address
		Lock                protocol.LockID
		Amount              core.LPT
		WithdrawRound       protocol.Round
	}
	// Rebond: a lock went back to stake.
	Rebond struct {
		Origin
		Delegate, Delegator core.Address
		Lock                protocol.LockID
		Amount              core.LPT
	}
	// WithdrawStake: a lock was paid out.
	WithdrawStake struct {
		Origin
		Delegator core.Address
		Lock      protocol.LockID
		Amount    core.LPT
	}
	// WithdrawFees: earned ETH was paid out.
	WithdrawFees struct {
		Origin
		Delegator, Recipient core.Address
		Amount               core.Wei
	}
)

// Gateways' funds and tickets.
type (
	// DepositFunded: a deposit grew.
	DepositFunded struct {
		Origin
		Sender core.Address
		Amount core.Wei
	}
	// ReserveFunded: a reserve grew.
	ReserveFunded struct {
		Origin
		Sender core.Address
		Amount core.Wei
	}
	// ReserveClaimed: a redemption was paid in part from the reserve.
	ReserveClaimed struct {
		Origin
		Sender, Claimant core.Address
		Amount           core.Wei
	}
	// Withdrawal: a gateway took its funds out.
	Withdrawal struct {
		Origin
		Sender           core.Address
		Deposit, Reserve core.Wei
	}
	// Unlock: a gateway's funds are free from Until on.
	Unlock struct {
		Origin
		Sender       core.Address
		Start, Until protocol.Round
	}
	// UnlockCancelled: they are not.
	UnlockCancelled struct {
		Origin
		Sender core.Address
	}
	// WinningTicketTransfer: a redemption paid Amount, which may be less than the
	// ticket's face value; without this event it paid nothing.
	WinningTicketTransfer struct {
		Origin
		Sender, Recipient core.Address
		Amount            core.Wei
	}
	// WinningTicketRedeemed: a ticket was redeemed and cannot be again.
	WinningTicketRedeemed struct {
		Origin
		Sender, Recipient core.Address
		FaceValue         core.Wei
		WinProb           protocol.Word
		SenderNonce       uint64
		RecipientRand     protocol.Word
		AuxData           []byte
	}
)
