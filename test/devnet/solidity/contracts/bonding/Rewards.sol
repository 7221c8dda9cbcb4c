// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {LIVEPEER_TOKEN, MINTER, TICKET_BROKER, TREASURY} from "../Managed.sol";
import {ILivepeerToken, IMinter} from "../interfaces.sol";
import {Percent} from "../Percent.sol";
import {Hint} from "./SortedPool.sol";
import {Unbonds} from "./Unbonds.sol";

/// What orchestrators earn: a reward once a round, and fees whenever a ticket wins.
abstract contract Rewards is Unbonds {
    event Reward(address indexed transcoder, uint256 amount);
    event TreasuryReward(address indexed transcoder, address treasury, uint256 amount);
    event RewardCallerSet(address indexed transcoder, address indexed rewardCaller);

    function setRewardCaller(address rewardCaller) external whenNotPaused {
        transcoderToRewardCaller[msg.sender] = rewardCaller;
        emit RewardCallerSet(msg.sender, rewardCaller);
    }

    function reward() external {
        _reward(msg.sender, Hint(address(0), address(0)));
    }

    function rewardWithHint(address newPosPrev, address newPosNext) external {
        _reward(msg.sender, Hint(newPosPrev, newPosNext));
    }

    function rewardForTranscoder(address transcoder) external {
        _rewardFor(transcoder, Hint(address(0), address(0)));
    }

    function rewardForTranscoderWithHint(address transcoder, address newPosPrev, address newPosNext) external {
        _rewardFor(transcoder, Hint(newPosPrev, newPosNext));
    }

    /// The payout of a ticket becomes fees of the current round.
    function updateTranscoderWithFees(address transcoder, uint256 fees)
        external
        whenNotPaused
        onlyContract(TICKET_BROKER)
    {
        require(isActiveTranscoder(transcoder), "transcoder must be active");
        uint256 round = _round();
        Orchestrator storage o = orchestrators[transcoder];
        Earnings storage e = o.rounds[round];
        bool rewarded = o.lastRewardRound == round;
        if (!rewarded) _openRound(o, e, round);
        uint256 rewardFactor = rewarded ? e.rewardFactorBefore : _latestRewardFactor(o);
        // The commissions that the orchestrator left in the pool when the round
        // began earn like any delegator's stake.
        uint256 own = rewarded ? o.activeCumulativeRewards : o.cumulativeRewards;
        uint256 shared = Percent.millionths(fees, e.feeShare);
        o.cumulativeFees += fees - shared + Percent.precise(shared, own, e.totalStake);
        e.feeFactor = _latestFeeFactor(o) + Percent.precise(_orOne(rewardFactor), shared, e.totalStake);
        o.lastFeeRound = round;
    }

    function _rewardFor(address transcoder, Hint memory hint) private {
        require(
            msg.sender == transcoderToRewardCaller[transcoder],
            "caller must be a reward caller set by the transcoder"
        );
        _reward(transcoder, hint);
    }

    function _reward(address who, Hint memory hint) private guarded {
        require(isActiveTranscoder(who), "transcoder must be active");
        uint256 round = _round();
        Orchestrator storage o = orchestrators[who];
        require(o.lastRewardRound != round, "caller has already called reward for the current round");
        Earnings storage e = o.rounds[round];
        _openRound(o, e, round);
        uint256 amount = IMinter(_at(MINTER)).createReward(e.totalStake, currentRoundTotalActiveStake);
        amount -= _payTreasury(who, amount);
        _shareReward(o, e, round, amount);
        _increaseStake(who, amount, hint);
        emit Reward(who, amount);
        _checkpoint(who);
    }

    /// Fixes stake and commissions of the round, with the first earnings in it.
    function _openRound(Orchestrator storage o, Earnings storage e, uint256 round) private {
        e.rewardCut = o.rewardCut;
        e.feeShare = o.feeShare;
        if (o.lastActiveStakeUpdateRound < round) {
            e.totalStake = o.rounds[o.lastActiveStakeUpdateRound].totalStake;
        }
    }

    function _shareReward(Orchestrator storage o, Earnings storage e, uint256 round, uint256 amount) private {
        uint256 commission = Percent.millionths(amount, e.rewardCut);
        uint256 shared = amount - commission;
        uint256 own = o.cumulativeRewards;
        o.activeCumulativeRewards = own;
        o.cumulativeRewards = own + commission + Percent.precise(shared, own, e.totalStake);
        uint256 factor = _orOne(_latestRewardFactor(o));
        e.rewardFactorBefore = factor;
        e.rewardFactor = factor + Percent.precise(factor, shared, e.totalStake);
        o.lastRewardRound = round;
    }

    function _payTreasury(address who, uint256 amount) private returns (uint256 cut) {
        address treasury = _at(TREASURY);
        if (treasury == address(0)) return 0;
        uint256 held = ILivepeerToken(_at(LIVEPEER_TOKEN)).balanceOf(treasury);
        if (held >= treasuryBalanceCeiling && nextRoundTreasuryRewardCutRate > 0) _setTreasuryRate(0);
        cut = (amount * treasuryRewardCutRate) / Percent.PRECISE;
        if (cut == 0) return 0;
        IMinter(_at(MINTER)).trustedTransferTokens(treasury, cut);
        emit TreasuryReward(who, treasury, cut);
    }

    function _setTreasuryRate(uint256 rate) internal {
        nextRoundTreasuryRewardCutRate = rate;
        emit ParameterUpdate("nextRoundTreasuryRewardCutRate");
    }
}
