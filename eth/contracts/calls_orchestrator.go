package contracts

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// SetCommission sets both cuts. The hints count only if the call makes the account
// join the pool.
func (c Calls) SetCommission(rewardCut, feeShare core.PerMillion, at Hints) Call {
	cut, share := big.NewInt(int64(rewardCut)), big.NewInt(int64(feeShare))
	data := bondingABI.PackTranscoder(cut, share)
	if !at.IsZero() {
		data = bondingABI.PackTranscoderWithHint(cut, share, at.prev(), at.next())
	}
	return call(protocol.SetCommission{}.Verb(), c.a.BondingManager, data,
		fmt.Sprintf("set the reward cut to %s%% and the fee cut to %s%%", rewardCut, feeShare.Rest()))
}

// Reward mints the round's tokens for the account itself.
func (c Calls) Reward(at Hints) Call {
	data := bondingABI.PackReward()
	if !at.IsZero() {
		data = bondingABI.PackRewardWithHint(at.prev(), at.next())
	}
	return call(protocol.Reward{}.Verb(), c.a.BondingManager, data, "call reward")
}

// RewardForTranscoder mints them for an orchestrator that named the account.
func (c Calls) RewardForTranscoder(orchestrator core.Address, at Hints) Call {
	data := bondingABI.PackRewardForTranscoder(common.Address(orchestrator))
	if !at.IsZero() {
		data = bondingABI.PackRewardForTranscoderWithHint(common.Address(orchestrator), at.prev(), at.next())
	}
	return call(protocol.RewardFor{}.Verb(), c.a.BondingManager, data, "call reward for "+orchestrator.String())
}

// SetRewardCaller names the address that may call reward for the account; zero revokes.
func (c Calls) SetRewardCaller(caller core.Address) Call {
	about := fmt.Sprintf("let %s call reward", caller)
	if caller.IsZero() {
		about = "let no other account call reward"
	}
	return call(protocol.SetRewardCaller{}.Verb(), c.a.BondingManager,
		bondingABI.PackSetRewardCaller(common.Address(caller)), about)
}

// InitializeRound initializes the present round for all accounts.
func (c Calls) InitializeRound() Call {
	return call(protocol.InitializeRound{}.Verb(), c.a.RoundsManager, roundsABI.PackInitializeRound(),
		"initialize the round")
}

// SetServiceURI stores the public address in the registry in use.
func (c Calls) SetServiceURI(uri string) Call {
	return call(protocol.SetServiceURI{}.Verb(), c.a.Registry, registryABI.PackSetServiceURI(uri),
		fmt.Sprintf("set the service URI to %q", uri))
}
