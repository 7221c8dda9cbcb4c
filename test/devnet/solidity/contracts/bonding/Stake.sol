// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Claims} from "./Claims.sol";
import {Hint, SortedPool} from "./SortedPool.sol";

/// How stake moves to and from orchestrators, and who is in the pool because of it.
/// The pool is always the active set of the next round.
abstract contract Stake is Claims {
    using SortedPool for SortedPool.Pool;

    event TranscoderActivated(address indexed transcoder, uint256 activationRound);
    event TranscoderDeactivated(address indexed transcoder, uint256 deactivationRound);

    function _increaseStake(address delegate, uint256 amount, Hint memory hint) internal {
        bool listed = pool.contains(delegate);
        // One that leaves with this round must have rewarded the stake it has.
        require(
            listed || !isActiveTranscoder(delegate) || orchestrators[delegate].lastRewardRound == _round(),
            "transcoder has not yet called reward for the current round"
        );
        uint256 stake = delegators[delegate].delegatedAmount + amount;
        if (listed) {
            nextRoundTotalActiveStake += amount;
            _restake(delegate, stake, hint);
        } else if (isRegisteredTranscoder(delegate)) {
            _tryToJoin(delegate, stake, hint);
        }
        delegators[delegate].delegatedAmount = stake;
    }

    function _decreaseStake(address delegate, uint256 amount, Hint memory hint) internal {
        uint256 stake = delegators[delegate].delegatedAmount - amount;
        if (pool.contains(delegate)) {
            nextRoundTotalActiveStake -= amount;
            _restake(delegate, stake, hint);
        }
        delegators[delegate].delegatedAmount = stake;
    }

    /// The stake counts from the next round on; the current round keeps what it had.
    function _restake(address delegate, uint256 stake, Hint memory hint) private {
        Orchestrator storage o = orchestrators[delegate];
        uint256 round = _round();
        if (o.lastActiveStakeUpdateRound < round) {
            o.rounds[round].totalStake = delegators[delegate].delegatedAmount;
        }
        o.rounds[round + 1].totalStake = stake;
        o.lastActiveStakeUpdateRound = round + 1;
        pool.update(delegate, stake, hint);
    }

    /// With a full pool only strictly more stake than the last entry's counts.
    function _tryToJoin(address who, uint256 stake, Hint memory hint) internal {
        if (pool.isFull()) {
            address last = pool.tail;
            if (stake <= delegators[last].delegatedAmount) return;
            _leavePool(last);
        }
        pool.insert(who, stake, hint);
        nextRoundTotalActiveStake += stake;
        Orchestrator storage o = orchestrators[who];
        uint256 from = _round() + 1;
        o.rounds[from].totalStake = stake;
        o.lastActiveStakeUpdateRound = from;
        o.activationRound = from;
        o.deactivationRound = type(uint256).max;
        emit TranscoderActivated(who, from);
    }

    /// Evicted or resigned: active to the end of this round either way.
    function _leavePool(address who) internal {
        pool.remove(who);
        nextRoundTotalActiveStake -= delegators[who].delegatedAmount;
        uint256 from = _round() + 1;
        orchestrators[who].deactivationRound = from;
        emit TranscoderDeactivated(who, from);
    }
}
