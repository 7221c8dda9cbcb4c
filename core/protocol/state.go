package protocol

import (
	"math"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Never is the round of what will not happen: the deactivation of a member of the pool, which the contracts
// write as 2^256-1.
const Never Round = math.MaxUint64

// Head is the newest layer-2 block that was seen.
type Head struct {
	Number L2Block
	Hash   Hash
	Parent Hash
	// L1 is the layer-1 height that contracts saw in this block.
	L1 L1Block
	// Time is the block's own time stamp.
	Time    time.Time
	BaseFee core.Wei
}

// RoundState is the round of one block.
type RoundState struct {
	// Number advances with time, whether or not the round was initialized.
	Number      Round
	Initialized bool
	Locked      bool
	Start       L1Block
	Length      L1Block
	// LockLength is how many blocks at the end of the round are locked.
	LockLength      L1Block
	LastInitialized Round
	// LastHash and PreviousHash are the hashes of LastInitialized and of the round before it, as tickets carry
	// them; zero for an uninitialized round.
	LastHash, PreviousHash Hash
}

// End returns the first layer-1 block of the next round.
func (r RoundState) End() L1Block { return r.Start + r.Length }

// LocksAt returns the first layer-1 block in which cuts cannot be changed any more.
func (r RoundState) LocksAt() L1Block { return r.End() - min(r.LockLength, r.Length) }

// Orchestrator is one orchestrator's record.
type Orchestrator struct {
	Address core.Address
	// ServiceURI is what the registry in use says; empty when never set.
	ServiceURI      string
	LastRewardRound Round
	RewardCut       core.PerMillion
	// FeeShare is the delegators' share of the fees; the fee cut is its rest.
	FeeShare core.PerMillion
	// DelegatedStake is live: changes of this round included.
	DelegatedStake             core.LPT
	ActivationRound            Round
	DeactivationRound          Round
	LastActiveStakeUpdateRound Round
	// Active: in this round. Registered: bonded to itself.
	Active, Registered bool
	// RewardCaller may call reward for it; zero for none.
	RewardCaller core.Address
}

// DelegatorStatus is the state of a delegator's bond.
type DelegatorStatus uint8

// The states of a delegator, numbered as the contract numbers them. A Pending
// bond is not active before the next round.
const (
	Pending DelegatorStatus = iota
	Bonded
	Unbonded
)

// String returns the status as the admin API writes it.
func (s DelegatorStatus) String() string {
	switch s {
	case Pending:
		return "Pending"
	case Bonded:
		return "Bonded"
	case Unbonded:
		return "Unbonded"
	}
	return "Unknown"
}

// Delegator is one account's own stake.
type Delegator struct {
	Address core.Address
	// Bonded and Fees are as of LastClaimRound, PendingStake and PendingFees as of
	// now.
	Bonded       core.LPT
	Fees         core.Wei
	PendingStake core.LPT
	PendingFees  core.Wei
	Delegate     core.Address
	// DelegatedAmount is what others and itself delegated to this account.
	DelegatedAmount core.LPT
	StartRound      Round
	LastClaimRound  Round
	// NextLockID is the number that the next unbonding lock gets.
	NextLockID LockID
	Status     DelegatorStatus
}

// UnbondingLock is stake on its way out.
type UnbondingLock struct {
	ID            LockID
	Delegator     core.Address
	Amount        core.LPT
	WithdrawRound Round
}

// EarningsPool is the stake and the commission that counted in a round. The
// factors are on the scale 10^27 = 1.
type EarningsPool struct {
	TotalStake              core.LPT
	RewardCut               core.PerMillion
	FeeShare                core.PerMillion
	RewardFactor, FeeFactor *big.Int
}

// PerBillion is a share on the minter's scale of 10^9 = 100 %.
type PerBillion uint64

// Parameters are the protocol's settings, which governance may change.
type Parameters struct {
	PoolMaxSize, PoolSize        int
	RoundLength                  L1Block
	RoundLockAmount              core.PerMillion
	UnbondingPeriod              Round
	UnlockPeriod                 Round
	TicketValidity               Round
	Inflation, InflationChange   PerBillion
	TargetBondingRate            PerBillion
	TotalBonded, TotalSupply     core.LPT
	MintableTokens, MintedTokens core.LPT
	Paused                       bool
	// TreasuryCut is the treasury's part of each reward of this round, NextTreasuryCut
	// of the next one's.
	TreasuryCut, NextTreasuryCut PerBillion
}

// Reserve is a gateway's reserve for the active set.
type Reserve struct {
	FundsRemaining        core.Wei
	ClaimedInCurrentRound core.Wei
}

// Sender is a gateway's money at the ticket broker.
type Sender struct {
	Deposit core.Wei
	// WithdrawRound is 0 while the funds are locked, which is the normal state.
	WithdrawRound Round
	Reserve       Reserve
}

// Balances are an account's funds.
type Balances struct {
	Ether core.Wei
	Token core.LPT
	// Allowance is how much of Token the bonding contract may take.
	Allowance core.LPT
}

// GasPrices are the present price and the operator's bounds on it.
type GasPrices struct {
	Current core.Wei
	// Min and Max are 0 where there is no bound.
	Min, Max core.Wei
}
