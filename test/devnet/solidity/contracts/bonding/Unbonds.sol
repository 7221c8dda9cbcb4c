// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MINTER} from "../Managed.sol";
import {IMinter} from "../interfaces.sol";
import {Bonds} from "./Bonds.sol";
import {Hint, SortedPool} from "./SortedPool.sol";

/// How stake goes out again: unbonding locks, and what may be done with them.
abstract contract Unbonds is Bonds {
    using SortedPool for SortedPool.Pool;

    event Unbond(
        address indexed delegate,
        address indexed delegator,
        uint256 unbondingLockId,
        uint256 amount,
        uint256 withdrawRound
    );
    event Rebond(address indexed delegate, address indexed delegator, uint256 unbondingLockId, uint256 amount);
    event TransferBond(
        address indexed oldDelegator,
        address indexed newDelegator,
        uint256 oldUnbondingLockId,
        uint256 newUnbondingLockId,
        uint256 amount
    );
    event WithdrawStake(address indexed delegator, uint256 unbondingLockId, uint256 amount, uint256 withdrawRound);

    function unbond(uint256 amount) external guarded {
        _unbond(amount, Hint(address(0), address(0)));
    }

    function unbondWithHint(uint256 amount, address newPosPrev, address newPosNext) external guarded {
        _unbond(amount, Hint(newPosPrev, newPosNext));
    }

    function rebond(uint256 unbondingLockId) external {
        _rebond(unbondingLockId, Hint(address(0), address(0)));
    }

    function rebondWithHint(uint256 unbondingLockId, address newPosPrev, address newPosNext) external {
        _rebond(unbondingLockId, Hint(newPosPrev, newPosNext));
    }

    function rebondFromUnbonded(address to, uint256 unbondingLockId) external {
        _rebondFromUnbonded(to, unbondingLockId, Hint(address(0), address(0)));
    }

    function rebondFromUnbondedWithHint(address to, uint256 unbondingLockId, address newPosPrev, address newPosNext)
        external
    {
        _rebondFromUnbonded(to, unbondingLockId, Hint(newPosPrev, newPosNext));
    }

    function withdrawStake(uint256 unbondingLockId) external guarded {
        Lock memory lock = delegators[msg.sender].locks[unbondingLockId];
        require(lock.withdrawRound > 0, "invalid unbonding lock ID");
        require(lock.withdrawRound <= _round(), "withdraw round must be before or equal to the current round");
        delete delegators[msg.sender].locks[unbondingLockId];
        IMinter(_at(MINTER)).trustedTransferTokens(msg.sender, lock.amount);
        emit WithdrawStake(msg.sender, unbondingLockId, lock.amount, lock.withdrawRound);
    }

    /// Moves bonded stake to another account without the unbonding period: the
    /// caller unbonds, and the lock is the receiver's, who rebonds it at once.
    function transferBond(
        address delegator,
        uint256 amount,
        address oldDelegateNewPosPrev,
        address oldDelegateNewPosNext,
        address newDelegateNewPosPrev,
        address newDelegateNewPosNext
    ) external guarded {
        require(delegator != address(0), "INVALID_DELEGATOR");
        Delegator storage from = delegators[msg.sender];
        Delegator storage to = delegators[delegator];
        address delegate = to.delegateAddress == address(0) ? from.delegateAddress : to.delegateAddress;
        uint256 oldId = _unbond(amount, Hint(oldDelegateNewPosPrev, oldDelegateNewPosNext));
        if (to.bondedAmount > 0) _requireHarmlessClaim(delegator);
        _claim(delegator);
        if (to.bondedAmount == 0) {
            to.delegateAddress = delegate;
            to.startRound = _round() + 1;
        }
        uint256 newId = to.nextUnbondingLockId++;
        to.locks[newId] = from.locks[oldId];
        delete from.locks[oldId];
        _useLock(delegator, newId, Hint(newDelegateNewPosPrev, newDelegateNewPosNext));
        emit TransferBond(msg.sender, delegator, oldId, newId, amount);
    }

    function _unbond(uint256 amount, Hint memory hint) private returns (uint256 id) {
        require(delegatorStatus(msg.sender) == DelegatorStatus.Bonded, "caller must be bonded");
        _claim(msg.sender);
        Delegator storage d = delegators[msg.sender];
        require(amount > 0, "unbond amount must be greater than 0");
        require(amount <= d.bondedAmount, "amount is greater than bonded amount");
        address delegate = d.delegateAddress;
        d.bondedAmount -= amount;
        uint256 withdrawRound = _round() + unbondingPeriod;
        id = d.nextUnbondingLockId++;
        d.locks[id] = Lock(amount, withdrawRound);
        if (d.bondedAmount == 0) {
            d.delegateAddress = address(0);
            d.startRound = 0;
            if (pool.contains(msg.sender)) _leavePool(msg.sender);
        }
        _decreaseStake(delegate, amount, hint);
        emit Unbond(delegate, msg.sender, id, amount, withdrawRound);
        _checkpoint(msg.sender);
        if (delegate != msg.sender) _checkpoint(delegate);
    }

    function _rebond(uint256 id, Hint memory hint) private guarded {
        require(delegatorStatus(msg.sender) != DelegatorStatus.Unbonded, "caller must be bonded");
        _claim(msg.sender);
        _useLock(msg.sender, id, hint);
    }

    function _rebondFromUnbonded(address to, uint256 id, Hint memory hint) private guarded {
        require(delegatorStatus(msg.sender) == DelegatorStatus.Unbonded, "caller must be unbonded");
        _claim(msg.sender);
        delegators[msg.sender].delegateAddress = to;
        delegators[msg.sender].startRound = _round() + 1;
        _useLock(msg.sender, id, hint);
    }

    /// Turns a lock into stake with the delegate that is set.
    function _useLock(address who, uint256 id, Hint memory hint) private {
        Delegator storage d = delegators[who];
        Lock memory lock = d.locks[id];
        require(lock.withdrawRound > 0, "invalid unbonding lock ID");
        delete d.locks[id];
        d.bondedAmount += lock.amount;
        address delegate = d.delegateAddress;
        _noteFactors(delegate, d.lastClaimRound);
        _increaseStake(delegate, lock.amount, hint);
        emit Rebond(delegate, who, id, lock.amount);
        _checkpoint(who);
        if (delegate != who) _checkpoint(delegate);
    }
}
