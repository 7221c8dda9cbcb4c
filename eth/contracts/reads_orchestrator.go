package contracts

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// Orchestrator asks for an orchestrator's record; the service URI is that of the
// registry in use.
func (r Reads) Orchestrator(account core.Address, out *protocol.Orchestrator) []Read {
	out.Address = account
	at, id := r.a.BondingManager, common.Address(account)
	return []Read{
		view("BondingManager.getTranscoder", at, bondingABI.PackGetTranscoder(id), bondingABI.UnpackGetTranscoder,
			func(c *convert, v bindings.GetTranscoderOutput) { takeTranscoder(c, v, out) }),
		view("BondingManager.isActiveTranscoder", at, bondingABI.PackIsActiveTranscoder(id),
			bondingABI.UnpackIsActiveTranscoder, setBool(&out.Active)),
		view("BondingManager.isRegisteredTranscoder", at, bondingABI.PackIsRegisteredTranscoder(id),
			bondingABI.UnpackIsRegisteredTranscoder, setBool(&out.Registered)),
		r.TotalStake(account, &out.DelegatedStake),
		r.RewardCaller(account, &out.RewardCaller),
		r.ServiceURI(account, &out.ServiceURI),
	}
}

func takeTranscoder(c *convert, v bindings.GetTranscoderOutput, out *protocol.Orchestrator) {
	out.LastRewardRound = c.round(v.LastRewardRound)
	out.RewardCut, out.FeeShare = c.share(v.RewardCut), c.share(v.FeeShare)
	out.ActivationRound, out.DeactivationRound = c.round(v.ActivationRound), c.round(v.DeactivationRound)
	out.LastActiveStakeUpdateRound = c.round(v.LastActiveStakeUpdateRound)
}

// TotalStake asks for an orchestrator's stake with this round's changes.
func (r Reads) TotalStake(account core.Address, out *core.LPT) Read {
	return view("BondingManager.transcoderTotalStake", r.a.BondingManager,
		bondingABI.PackTranscoderTotalStake(common.Address(account)), bondingABI.UnpackTranscoderTotalStake,
		set(out, (*convert).lpt))
}

// RewardCaller asks for an orchestrator's reward caller; zero for none, also where the contracts have no
// reward callers.
func (r Reads) RewardCaller(account core.Address, out *core.Address) Read {
	return view("BondingManager.transcoderToRewardCaller", r.a.BondingManager,
		bondingABI.PackTranscoderToRewardCaller(common.Address(account)), bondingABI.UnpackTranscoderToRewardCaller,
		setAddress(out)).OrZero()
}

// EarningsPool asks for the stake and the commission that counted in a round.
func (r Reads) EarningsPool(account core.Address, round protocol.Round, out *protocol.EarningsPool) Read {
	return view("BondingManager.getTranscoderEarningsPoolForRound", r.a.BondingManager,
		bondingABI.PackGetTranscoderEarningsPoolForRound(common.Address(account), roundNumber(round)),
		bondingABI.UnpackGetTranscoderEarningsPoolForRound,
		func(c *convert, v bindings.GetTranscoderEarningsPoolForRoundOutput) {
			out.TotalStake = c.lpt(v.TotalStake)
			out.RewardCut, out.FeeShare = c.share(v.TranscoderRewardCut), c.share(v.TranscoderFeeShare)
			out.RewardFactor, out.FeeFactor = c.big(v.CumulativeRewardFactor), c.big(v.CumulativeFeeFactor)
		})
}

// ServiceURI asks the registry in use for an address.
func (r Reads) ServiceURI(account core.Address, out *string) Read {
	return serviceURI(r.a.Registry, account, out)
}

func serviceURI(registry, account core.Address, out *string) Read {
	return view("ServiceRegistry.getServiceURI", registry,
		registryABI.PackGetServiceURI(common.Address(account)), registryABI.UnpackGetServiceURI, setText(out))
}

// RewardTerms are what a reward of this round is computed from.
type RewardTerms struct {
	// Mintable is for all orchestrators; each gets the share that its stake has of TotalActiveStake.
	Mintable, TotalActiveStake core.LPT
	// TreasuryCut goes to the treasury, on the scale 10^27 = 100 %.
	TreasuryCut *big.Int
}

// RewardTerms asks for the terms of this round's rewards.
func (r Reads) RewardTerms(out *RewardTerms) []Read {
	at := r.a.BondingManager
	return []Read{
		view("Minter.currentMintableTokens", r.a.Minter, minterABI.PackCurrentMintableTokens(),
			minterABI.UnpackCurrentMintableTokens, set(&out.Mintable, (*convert).lpt)),
		view("BondingManager.currentRoundTotalActiveStake", at, bondingABI.PackCurrentRoundTotalActiveStake(),
			bondingABI.UnpackCurrentRoundTotalActiveStake, set(&out.TotalActiveStake, (*convert).lpt)),
		view("BondingManager.treasuryRewardCutRate", at, bondingABI.PackTreasuryRewardCutRate(),
			bondingABI.UnpackTreasuryRewardCutRate, set(&out.TreasuryCut, (*convert).big)),
	}
}
