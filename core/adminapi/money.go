package adminapi

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Balances are the account's means: wei, and the token's smallest unit.
type Balances struct {
	Ether core.Wei `json:"ether"`
	Token core.LPT `json:"token"`
	// Allowance is how much of Token the bonding contract may take.
	Allowance core.LPT `json:"allowance"`
}

// SenderStatus says what a gateway's funds can be used for.
type SenderStatus string

// The states of a gateway's funds.
const (
	SenderEmpty     SenderStatus = "empty"
	SenderLocked    SenderStatus = "locked"
	SenderUnlocking SenderStatus = "unlocking"
	SenderUnlocked  SenderStatus = "unlocked"
)

// Sender is a gateway's money at the ticket broker.
type Sender struct {
	Deposit core.Wei `json:"deposit"`
	// WithdrawRound is 0 while the funds are locked, which is the normal state.
	WithdrawRound protocol.Round `json:"withdrawRound"`
	Reserve       Reserve        `json:"reserve"`
	Status        SenderStatus   `json:"status"`
	// UnlockPeriod is how many rounds an unlock takes.
	UnlockPeriod protocol.Round `json:"unlockPeriod"`
}

// Reserve is what a gateway put aside for the active set.
type Reserve struct {
	FundsRemaining        core.Wei `json:"fundsRemaining"`
	ClaimedInCurrentRound core.Wei `json:"claimedInCurrentRound"`
}

// Gas is the price of the moment and the operator's bounds; "0" is no bound.
type Gas struct {
	Current core.Wei `json:"current"`
	Min     core.Wei `json:"min"`
	Max     core.Wei `json:"max"`
}

// GasChange sets one bound or both; what is absent stays, "0" takes a bound away.
type GasChange struct {
	Min *core.Wei `json:"min,omitempty"`
	Max *core.Wei `json:"max,omitempty"`
}
