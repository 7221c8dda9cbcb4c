// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_VOTES} from "../Managed.sol";
import {BondingState as VotingState, IBondingVotes} from "../interfaces.sol";
import {Percent} from "../Percent.sol";
import {BondingState} from "./BondingState.sol";

/// What delegators have earned since they last claimed, and the claim itself.
abstract contract Claims is BondingState {
    event EarningsClaimed(
        address indexed delegate,
        address indexed delegator,
        uint256 rewards,
        uint256 fees,
        uint256 startRound,
        uint256 endRound
    );

    /// The second argument is a relic: everything up to the current round counts.
    function pendingStake(address delegator, uint256 endRound) external view returns (uint256) {
        endRound;
        (uint256 stake,) = _withEarnings(delegator);
        return stake;
    }

    function pendingFees(address delegator, uint256 endRound) external view returns (uint256) {
        endRound;
        (, uint256 fees) = _withEarnings(delegator);
        return fees;
    }

    function _latestRewardFactor(Orchestrator storage o) internal view returns (uint256) {
        return o.rounds[o.lastRewardRound].rewardFactor;
    }

    function _latestFeeFactor(Orchestrator storage o) internal view returns (uint256) {
        return o.rounds[o.lastFeeRound].feeFactor;
    }

    /// Whoever claims or bonds in a round measures its later earnings against the
    /// factors of that round. A reward or fee later in the round overwrites them.
    function _noteFactors(address delegate, uint256 round) internal {
        Orchestrator storage o = orchestrators[delegate];
        Earnings storage e = o.rounds[round];
        if (e.rewardFactor == 0) e.rewardFactor = _latestRewardFactor(o);
        if (e.feeFactor == 0) e.feeFactor = _latestFeeFactor(o);
    }

    function _withEarnings(address who) internal view returns (uint256 stake, uint256 fees) {
        Delegator storage d = delegators[who];
        stake = d.bondedAmount;
        fees = d.fees;
        address delegate = d.delegateAddress;
        if (delegate == address(0)) return (stake, fees);
        Orchestrator storage o = orchestrators[delegate];
        Earnings storage since = o.rounds[d.lastClaimRound];
        uint256 from = _orOne(since.rewardFactor);
        fees += Percent.precise(stake, _latestFeeFactor(o) - since.feeFactor, from);
        stake = Percent.precise(stake, _orOne(_latestRewardFactor(o)), from);
        if (delegate == who) {
            stake += o.cumulativeRewards;
            fees += o.cumulativeFees;
        }
    }

    /// Nearly every call that changes stake begins with this.
    function _claim(address who) internal {
        Delegator storage d = delegators[who];
        uint256 round = _round();
        uint256 last = d.lastClaimRound;
        if (last >= round) return;
        address delegate = d.delegateAddress;
        if (delegate != address(0)) {
            (uint256 stake, uint256 fees) = _withEarnings(who);
            if (delegate == who) {
                orchestrators[who].cumulativeRewards = 0;
                orchestrators[who].cumulativeFees = 0;
            }
            emit EarningsClaimed(delegate, who, stake - d.bondedAmount, fees - d.fees, last + 1, round);
            d.bondedAmount = stake;
            d.fees = fees;
            _noteFactors(delegate, round);
        }
        d.lastClaimRound = round;
    }

    /// A claim before the orchestrator's reward forgoes that reward, so nobody may
    /// force it on another.
    function _requireHarmlessClaim(address who) internal view {
        address delegate = delegators[who].delegateAddress;
        uint256 round = _round();
        require(
            delegators[who].lastClaimRound >= round || !isActiveTranscoder(delegate)
                || orchestrators[delegate].lastRewardRound == round,
            "ILLEGAL_CLAIM_EARNINGS"
        );
    }

    function _checkpoint(address who) internal {
        address votes = _at(BONDING_VOTES);
        if (votes == address(0)) return;
        Delegator storage d = delegators[who];
        IBondingVotes(votes).checkpointBondingState(
            who,
            VotingState({
                startRound: _round() + 1,
                bondedAmount: d.bondedAmount,
                delegateAddress: d.delegateAddress,
                delegatedAmount: d.delegatedAmount,
                lastClaimRound: d.lastClaimRound,
                lastRewardRound: orchestrators[who].lastRewardRound
            })
        );
    }
}
