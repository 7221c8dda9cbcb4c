// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Managed} from "../Managed.sol";
import {Percent} from "../Percent.sol";
import {SortedPool} from "./SortedPool.sol";

/// What the BondingManager remembers, and its plain views.
abstract contract BondingState is Managed {
    using SortedPool for SortedPool.Pool;

    /// An orchestrator's numbers for one round. The factors accumulate from round
    /// to round; zero means that nothing was written for the round.
    struct Earnings {
        uint256 totalStake;
        uint256 rewardCut;
        uint256 feeShare;
        uint256 rewardFactor;
        uint256 feeFactor;
        /// The reward factor as it was before this round's reward: fees of a round
        /// belong to the stake with which it began.
        uint256 rewardFactorBefore;
    }

    struct Orchestrator {
        uint256 lastRewardRound;
        uint256 rewardCut;
        uint256 feeShare;
        uint256 lastActiveStakeUpdateRound;
        uint256 activationRound;
        uint256 deactivationRound;
        uint256 activeCumulativeRewards;
        uint256 cumulativeRewards;
        uint256 cumulativeFees;
        uint256 lastFeeRound;
        mapping(uint256 => Earnings) rounds;
    }

    struct Lock {
        uint256 amount;
        uint256 withdrawRound;
    }

    struct Delegator {
        uint256 bondedAmount;
        uint256 fees;
        address delegateAddress;
        uint256 delegatedAmount;
        uint256 startRound;
        uint256 lastClaimRound;
        uint256 nextUnbondingLockId;
        mapping(uint256 => Lock) locks;
    }

    enum DelegatorStatus {
        Pending,
        Bonded,
        Unbonded
    }

    enum TranscoderStatus {
        NotRegistered,
        Registered
    }

    uint64 public unbondingPeriod;
    uint256 public currentRoundTotalActiveStake;
    uint256 public nextRoundTotalActiveStake;
    uint256 public treasuryRewardCutRate;
    uint256 public nextRoundTreasuryRewardCutRate;
    uint256 public treasuryBalanceCeiling;
    mapping(address transcoder => address) public transcoderToRewardCaller;
    mapping(address => Delegator) internal delegators;
    mapping(address => Orchestrator) internal orchestrators;
    SortedPool.Pool internal pool;

    function getTranscoder(address transcoder)
        external
        view
        returns (
            uint256 lastRewardRound,
            uint256 rewardCut,
            uint256 feeShare,
            uint256 lastActiveStakeUpdateRound,
            uint256 activationRound,
            uint256 deactivationRound,
            uint256 activeCumulativeRewards,
            uint256 cumulativeRewards,
            uint256 cumulativeFees,
            uint256 lastFeeRound
        )
    {
        Orchestrator storage o = orchestrators[transcoder];
        lastRewardRound = o.lastRewardRound;
        rewardCut = o.rewardCut;
        feeShare = o.feeShare;
        lastActiveStakeUpdateRound = o.lastActiveStakeUpdateRound;
        activationRound = o.activationRound;
        deactivationRound = o.deactivationRound;
        activeCumulativeRewards = o.activeCumulativeRewards;
        cumulativeRewards = o.cumulativeRewards;
        cumulativeFees = o.cumulativeFees;
        lastFeeRound = o.lastFeeRound;
    }

    function getTranscoderEarningsPoolForRound(address transcoder, uint256 round)
        external
        view
        returns (
            uint256 totalStake,
            uint256 transcoderRewardCut,
            uint256 transcoderFeeShare,
            uint256 cumulativeRewardFactor,
            uint256 cumulativeFeeFactor
        )
    {
        Earnings storage e = orchestrators[transcoder].rounds[round];
        return (e.totalStake, e.rewardCut, e.feeShare, e.rewardFactor, e.feeFactor);
    }

    function getDelegator(address delegator)
        external
        view
        returns (
            uint256 bondedAmount,
            uint256 fees,
            address delegateAddress,
            uint256 delegatedAmount,
            uint256 startRound,
            uint256 lastClaimRound,
            uint256 nextUnbondingLockId
        )
    {
        Delegator storage d = delegators[delegator];
        bondedAmount = d.bondedAmount;
        fees = d.fees;
        delegateAddress = d.delegateAddress;
        delegatedAmount = d.delegatedAmount;
        startRound = d.startRound;
        lastClaimRound = d.lastClaimRound;
        nextUnbondingLockId = d.nextUnbondingLockId;
    }

    function getDelegatorUnbondingLock(address delegator, uint256 unbondingLockId)
        external
        view
        returns (uint256 amount, uint256 withdrawRound)
    {
        Lock storage lock = delegators[delegator].locks[unbondingLockId];
        return (lock.amount, lock.withdrawRound);
    }

    function isValidUnbondingLock(address delegator, uint256 unbondingLockId) external view returns (bool) {
        return delegators[delegator].locks[unbondingLockId].withdrawRound > 0;
    }

    function delegatorStatus(address delegator) public view returns (DelegatorStatus) {
        Delegator storage d = delegators[delegator];
        if (d.bondedAmount == 0) return DelegatorStatus.Unbonded;
        return d.startRound > _round() ? DelegatorStatus.Pending : DelegatorStatus.Bonded;
    }

    function transcoderStatus(address transcoder) external view returns (TranscoderStatus) {
        return isRegisteredTranscoder(transcoder) ? TranscoderStatus.Registered : TranscoderStatus.NotRegistered;
    }

    function isRegisteredTranscoder(address transcoder) public view returns (bool) {
        Delegator storage d = delegators[transcoder];
        return d.delegateAddress == transcoder && d.bondedAmount > 0;
    }

    function isActiveTranscoder(address transcoder) public view returns (bool) {
        Orchestrator storage o = orchestrators[transcoder];
        uint256 round = _round();
        return o.activationRound <= round && round < o.deactivationRound;
    }

    function transcoderTotalStake(address transcoder) public view returns (uint256) {
        return delegators[transcoder].delegatedAmount;
    }

    function getTotalBonded() external view returns (uint256) {
        return currentRoundTotalActiveStake;
    }

    function getTranscoderPoolMaxSize() external view returns (uint256) {
        return pool.maxSize;
    }

    function getTranscoderPoolSize() external view returns (uint256) {
        return pool.size;
    }

    function getFirstTranscoderInPool() external view returns (address) {
        return pool.head;
    }

    function getNextTranscoderInPool(address transcoder) external view returns (address) {
        return pool.next(transcoder);
    }

    /// The factor that stood at the end of a round for which one was written, and
    /// zero for others.
    function rewardFactorAt(address transcoder, uint256 round) external view returns (uint256) {
        return orchestrators[transcoder].rounds[round].rewardFactor;
    }

    /// A factor that nobody wrote is 1.
    function _orOne(uint256 factor) internal pure returns (uint256) {
        return factor == 0 ? Percent.PRECISE : factor;
    }
}
