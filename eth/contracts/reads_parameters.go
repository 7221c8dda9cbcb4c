package contracts

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Parameters reads the protocol's parameters that governance sets, and totals such as bonded stake and supply.
func (r Reads) Parameters(out *protocol.Parameters) []Read {
	reads := []Read{
		r.PoolMaxSize(&out.PoolMaxSize),
		r.PoolSize(&out.PoolSize),
		r.roundLength(&out.RoundLength),
		r.lockAmount(func(share core.PerMillion) { out.RoundLockAmount = share }),
		r.Paused(&out.Paused),
		view("BondingManager.unbondingPeriod", r.a.BondingManager, bondingABI.PackUnbondingPeriod(),
			bondingABI.UnpackUnbondingPeriod,
			func(_ *convert, v uint64) { out.UnbondingPeriod = protocol.Round(v) }),
		view("BondingManager.getTotalBonded", r.a.BondingManager, bondingABI.PackGetTotalBonded(),
			bondingABI.UnpackGetTotalBonded, set(&out.TotalBonded, (*convert).lpt)),
		r.UnlockPeriod(&out.UnlockPeriod),
		r.TicketValidity(&out.TicketValidity),
	}
	reads = append(reads, r.treasury(out)...)
	return append(reads, r.minting(out)...)
}

// treasury reads the treasury's cut of rewards. Contracts older than the treasury lack the method, which
// reads as 0.
func (r Reads) treasury(out *protocol.Parameters) []Read {
	at := r.a.BondingManager
	return []Read{
		view("BondingManager.treasuryRewardCutRate", at, bondingABI.PackTreasuryRewardCutRate(),
			bondingABI.UnpackTreasuryRewardCutRate, set(&out.TreasuryCut, (*convert).precise)).OrZero(),
		view("BondingManager.nextRoundTreasuryRewardCutRate", at, bondingABI.PackNextRoundTreasuryRewardCutRate(),
			bondingABI.UnpackNextRoundTreasuryRewardCutRate,
			set(&out.NextTreasuryCut, (*convert).precise)).OrZero(),
	}
}

func (r Reads) minting(out *protocol.Parameters) []Read {
	at := r.a.Minter
	return []Read{
		view("Minter.inflation", at, minterABI.PackInflation(), minterABI.UnpackInflation,
			set(&out.Inflation, (*convert).perBillion)),
		view("Minter.inflationChange", at, minterABI.PackInflationChange(), minterABI.UnpackInflationChange,
			set(&out.InflationChange, (*convert).perBillion)),
		view("Minter.targetBondingRate", at, minterABI.PackTargetBondingRate(), minterABI.UnpackTargetBondingRate,
			set(&out.TargetBondingRate, (*convert).perBillion)),
		view("Minter.currentMintableTokens", at, minterABI.PackCurrentMintableTokens(),
			minterABI.UnpackCurrentMintableTokens, set(&out.MintableTokens, (*convert).lpt)),
		view("Minter.currentMintedTokens", at, minterABI.PackCurrentMintedTokens(), minterABI.UnpackCurrentMintedTokens,
			set(&out.MintedTokens, (*convert).lpt)),
		view("Minter.getGlobalTotalSupply", at, minterABI.PackGetGlobalTotalSupply(), minterABI.UnpackGetGlobalTotalSupply,
			set(&out.TotalSupply, (*convert).lpt)),
	}
}

// UnlockPeriod reads how many rounds a gateway's funds take to unlock.
func (r Reads) UnlockPeriod(out *protocol.Round) Read {
	return view("TicketBroker.unlockPeriod", r.a.TicketBroker, brokerABI.PackUnlockPeriod(),
		brokerABI.UnpackUnlockPeriod, set(out, (*convert).round))
}

// TicketValidity reads in how many rounds a ticket can be redeemed, that of its creation included.
func (r Reads) TicketValidity(out *protocol.Round) Read {
	return view("TicketBroker.ticketValidityPeriod", r.a.TicketBroker, brokerABI.PackTicketValidityPeriod(),
		brokerABI.UnpackTicketValidityPeriod, set(out, (*convert).round))
}
