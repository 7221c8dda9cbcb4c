// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_VOTES, Managed, ROUNDS_MANAGER} from "../Managed.sol";
import {IBondingVotes} from "../interfaces.sol";
import {Percent} from "../Percent.sol";
import {Rewards} from "./Rewards.sol";
import {Hint, SortedPool} from "./SortedPool.sol";

/// Stake, the pool of orchestrators, rewards and fees. The parts are in the files
/// beside this one; here are commissions and what the owner and the rounds set.
contract BondingManager is Rewards {
    using SortedPool for SortedPool.Pool;

    event TranscoderUpdate(address indexed transcoder, uint256 rewardCut, uint256 feeShare);
    /// Slashing is switched off on the real network; the event is part of the interface.
    event TranscoderSlashed(address indexed transcoder, address finder, uint256 penalty, uint256 finderReward);

    constructor(address controller) Managed(controller) {}

    function setUnbondingPeriod(uint64 rounds) external onlyOwner {
        unbondingPeriod = rounds;
        emit ParameterUpdate("unbondingPeriod");
    }

    /// Nobody is evicted by a smaller pool: it shrinks only as entries leave.
    function setTranscoderPoolMaxSize(uint256 size) external onlyOwner {
        require(size > 0, "the pool needs room for one");
        pool.maxSize = size;
        emit ParameterUpdate("numActiveTranscoders");
    }

    /// Applies from the next round that is initialised.
    function setTreasuryRewardCutRate(uint256 rate) external onlyOwner {
        require(rate <= Percent.PRECISE, "invalid treasury rate percentage");
        _setTreasuryRate(rate);
    }

    function setTreasuryBalanceCeiling(uint256 ceiling) external onlyOwner {
        treasuryBalanceCeiling = ceiling;
        emit ParameterUpdate("treasuryBalanceCeiling");
    }

    function setCurrentRoundTotalActiveStake() external onlyContract(ROUNDS_MANAGER) {
        currentRoundTotalActiveStake = nextRoundTotalActiveStake;
        if (nextRoundTreasuryRewardCutRate != treasuryRewardCutRate) {
            treasuryRewardCutRate = nextRoundTreasuryRewardCutRate;
            emit ParameterUpdate("treasuryRewardCutRate");
        }
        address votes = _at(BONDING_VOTES);
        if (votes != address(0)) {
            IBondingVotes(votes).checkpointTotalActiveStake(currentRoundTotalActiveStake, _round());
        }
    }

    function transcoder(uint256 rewardCut, uint256 feeShare) external {
        _transcoder(rewardCut, feeShare, Hint(address(0), address(0)));
    }

    function transcoderWithHint(uint256 rewardCut, uint256 feeShare, address newPosPrev, address newPosNext) external {
        _transcoder(rewardCut, feeShare, Hint(newPosPrev, newPosNext));
    }

    function _transcoder(uint256 rewardCut, uint256 feeShare, Hint memory hint) private guarded {
        require(!_rounds().currentRoundLocked(), "can't update transcoder params, current round is locked");
        require(rewardCut <= Percent.MILLION, "invalid rewardCut percentage");
        require(feeShare <= Percent.MILLION, "invalid feeShare percentage");
        require(isRegisteredTranscoder(msg.sender), "transcoder must be registered");
        Orchestrator storage o = orchestrators[msg.sender];
        require(
            !isActiveTranscoder(msg.sender) || o.lastRewardRound == _round(),
            "caller can't be active or must have already called reward for the current round"
        );
        o.rewardCut = rewardCut;
        o.feeShare = feeShare;
        if (!pool.contains(msg.sender)) _tryToJoin(msg.sender, delegators[msg.sender].delegatedAmount, hint);
        emit TranscoderUpdate(msg.sender, rewardCut, feeShare);
    }
}
