package contracts

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// bondingEvents are the kinds that the bonding contract sends.
func bondingEvents() map[common.Hash]decode {
	return map[common.Hash]decode{
		topicOf("TranscoderActivated(address,uint256)"): reading(bondingABI.UnpackTranscoderActivatedEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerTranscoderActivated) Event {
				return TranscoderActivated{o, core.Address(v.Transcoder), c.round(v.ActivationRound)}
			}),
		topicOf("TranscoderDeactivated(address,uint256)"): reading(bondingABI.UnpackTranscoderDeactivatedEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerTranscoderDeactivated) Event {
				return TranscoderDeactivated{o, core.Address(v.Transcoder), c.round(v.DeactivationRound)}
			}),
		topicOf("TranscoderUpdate(address,uint256,uint256)"): reading(bondingABI.UnpackTranscoderUpdateEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerTranscoderUpdate) Event {
				return TranscoderUpdate{o, core.Address(v.Transcoder), c.share(v.RewardCut), c.share(v.FeeShare)}
			}),
		topicOf("Reward(address,uint256)"): reading(bondingABI.UnpackRewardEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerReward) Event {
				return Reward{o, core.Address(v.Transcoder), c.lpt(v.Amount)}
			}),
		topicOf("TreasuryReward(address,address,uint256)"): reading(bondingABI.UnpackTreasuryRewardEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerTreasuryReward) Event {
				return TreasuryReward{o, core.Address(v.Transcoder), c.lpt(v.Amount)}
			}),
		topicOf("RewardCallerSet(address,address)"): reading(bondingABI.UnpackRewardCallerSetEvent,
			func(_ *convert, o Origin, v *bindings.BondingManagerRewardCallerSet) Event {
				return RewardCallerSet{o, core.Address(v.Transcoder), core.Address(v.RewardCaller)}
			}),
		topicOf("Bond(address,address,address,uint256,uint256)"): reading(bondingABI.UnpackBondEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerBond) Event {
				return Bond{o, core.Address(v.NewDelegate), core.Address(v.OldDelegate), core.Address(v.Delegator),
					c.lpt(v.AdditionalAmount), c.lpt(v.BondedAmount)}
			}),
		topicOf("Unbond(address,address,uint256,uint256,uint256)"): reading(bondingABI.UnpackUnbondEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerUnbond) Event {
				return Unbond{o, core.Address(v.Delegate), core.Address(v.Delegator), c.lock(v.UnbondingLockId), c.lpt(v.Amount),
					c.round(v.WithdrawRound)}
			}),
		topicOf("Rebond(address,address,uint256,uint256)"): reading(bondingABI.UnpackRebondEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerRebond) Event {
				return Rebond{o, core.Address(v.Delegate), core.Address(v.Delegator), c.lock(v.UnbondingLockId), c.lpt(v.Amount)}
			}),
		topicOf("WithdrawStake(address,uint256,uint256,uint256)"): reading(bondingABI.UnpackWithdrawStakeEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerWithdrawStake) Event {
				return WithdrawStake{o, core.Address(v.Delegator), c.lock(v.UnbondingLockId), c.lpt(v.Amount)}
			}),
		topicOf("WithdrawFees(address,address,uint256)"): reading(bondingABI.UnpackWithdrawFeesEvent,
			func(c *convert, o Origin, v *bindings.BondingManagerWithdrawFees) Event {
				return WithdrawFees{o, core.Address(v.Delegator), core.Address(v.Recipient), c.wei(v.Amount)}
			}),
	}
}
