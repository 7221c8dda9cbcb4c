package admin

import (
	"math/big"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// oldAddress is an address in lower case, as the existing node writes it in JSON.
type oldAddress core.Address

// MarshalText writes the address.
func (a oldAddress) MarshalText() ([]byte, error) {
	return []byte(strings.ToLower(core.Address(a).String())), nil
}

// oldRound returns a round as a number of any size: never is 2^256-1, as the contracts
// have it.
func oldRound(r protocol.Round) *big.Int {
	if r == protocol.Never {
		one := big.NewInt(1)
		return one.Sub(one.Lsh(one, 256), big.NewInt(1))
	}
	return new(big.Int).SetUint64(uint64(r))
}

// oldOrchestrator is one orchestrator with the existing node's keys.
type oldOrchestrator struct {
	Address                    oldAddress
	ServiceURI                 string
	LastRewardRound            *big.Int
	RewardCut                  core.PerMillion
	FeeShare                   core.PerMillion
	DelegatedStake             *big.Int
	ActivationRound            *big.Int
	DeactivationRound          *big.Int
	LastActiveStakeUpdateRound *big.Int
	Active                     bool
	Status                     string
	// PricePerPixel is a number of wei, or a fraction; 0 where it is not known.
	PricePerPixel *big.Rat
}

func oldOrchestratorOf(o protocol.Orchestrator, price *big.Rat) oldOrchestrator {
	if price == nil {
		price = new(big.Rat)
	}
	return oldOrchestrator{
		Address: oldAddress(o.Address), ServiceURI: o.ServiceURI, LastRewardRound: oldRound(o.LastRewardRound),
		RewardCut: o.RewardCut, FeeShare: o.FeeShare, DelegatedStake: o.DelegatedStake.Big(),
		ActivationRound: oldRound(o.ActivationRound), DeactivationRound: oldRound(o.DeactivationRound),
		LastActiveStakeUpdateRound: oldRound(o.LastActiveStakeUpdateRound), Active: o.Active,
		Status: orchestratorOf(o, "").Status, PricePerPixel: price,
	}
}

// oldDelegator is a delegator with the existing node's keys.
type oldDelegator struct {
	Address             oldAddress
	BondedAmount        *big.Int
	Fees                *big.Int
	DelegateAddress     oldAddress
	DelegatedAmount     *big.Int
	StartRound          *big.Int
	LastClaimRound      *big.Int
	NextUnbondingLockId *big.Int
	PendingStake        *big.Int
	PendingFees         *big.Int
	Status              string
}

func oldDelegatorOf(d protocol.Delegator) oldDelegator {
	return oldDelegator{
		Address: oldAddress(d.Address), BondedAmount: d.Bonded.Big(), Fees: d.Fees.Big(),
		DelegateAddress: oldAddress(d.Delegate),
		DelegatedAmount: d.DelegatedAmount.Big(), StartRound: oldRound(d.StartRound),
		LastClaimRound:      oldRound(d.LastClaimRound),
		NextUnbondingLockId: new(big.Int).SetUint64(uint64(d.NextLockID)),
		PendingStake:        d.PendingStake.Big(), PendingFees: d.PendingFees.Big(), Status: d.Status.String(),
	}
}

// oldLock is an unbonding lock with the existing node's keys.
type oldLock struct {
	ID            uint64
	Delegator     oldAddress
	Amount        *big.Int
	WithdrawRound uint64
}

// oldParameters are the protocol's settings with the existing node's keys.
type oldParameters struct {
	NumActiveTranscoders int
	RoundLength          uint64
	RoundLockAmount      core.PerMillion
	UnbondingPeriod      uint64
	Inflation            uint64
	InflationChange      uint64
	TargetBondingRate    uint64
	TotalBonded          *big.Int
	TotalSupply          *big.Int
	Paused               bool
}

func oldParametersOf(p protocol.Parameters) oldParameters {
	return oldParameters{
		NumActiveTranscoders: p.PoolMaxSize, RoundLength: uint64(p.RoundLength), RoundLockAmount: p.RoundLockAmount,
		UnbondingPeriod: uint64(p.UnbondingPeriod), Inflation: uint64(p.Inflation),
		InflationChange:   uint64(p.InflationChange),
		TargetBondingRate: uint64(p.TargetBondingRate), TotalBonded: p.TotalBonded.Big(), TotalSupply: p.TotalSupply.Big(),
		Paused: p.Paused,
	}
}

// oldSender is a gateway's money with the existing node's keys.
type oldSender struct {
	Deposit       *big.Int
	WithdrawRound *big.Int
	Reserve       oldReserve
}

type oldReserve struct {
	FundsRemaining        *big.Int
	ClaimedInCurrentRound *big.Int
}

func oldSenderOf(s protocol.Sender) oldSender {
	return oldSender{
		Deposit: s.Deposit.Big(), WithdrawRound: oldRound(s.WithdrawRound),
		Reserve: oldReserve{FundsRemaining: s.Reserve.FundsRemaining.Big(),
			ClaimedInCurrentRound: s.Reserve.ClaimedInCurrentRound.Big()},
	}
}
