// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {LIVEPEER_TOKEN, MINTER} from "../Managed.sol";
import {ILivepeerToken, IMinter} from "../interfaces.sol";
import {Hint} from "./SortedPool.sol";
import {Stake} from "./Stake.sol";

/// How stake comes in and its earnings go out: bonds, claims, withdrawals.
abstract contract Bonds is Stake {
    event Bond(
        address indexed newDelegate,
        address indexed oldDelegate,
        address indexed delegator,
        uint256 additionalAmount,
        uint256 bondedAmount
    );
    event WithdrawFees(address indexed delegator, address recipient, uint256 amount);

    function bond(uint256 amount, address to) external {
        _bond(amount, msg.sender, to, Hint(address(0), address(0)), Hint(address(0), address(0)));
    }

    function bondWithHint(
        uint256 amount,
        address to,
        address oldDelegateNewPosPrev,
        address oldDelegateNewPosNext,
        address currDelegateNewPosPrev,
        address currDelegateNewPosNext
    ) external {
        _bond(
            amount,
            msg.sender,
            to,
            Hint(oldDelegateNewPosPrev, oldDelegateNewPosNext),
            Hint(currDelegateNewPosPrev, currDelegateNewPosNext)
        );
    }

    function bondForWithHint(
        uint256 amount,
        address owner,
        address to,
        address oldDelegateNewPosPrev,
        address oldDelegateNewPosNext,
        address currDelegateNewPosPrev,
        address currDelegateNewPosNext
    ) external {
        _bond(
            amount,
            owner,
            to,
            Hint(oldDelegateNewPosPrev, oldDelegateNewPosNext),
            Hint(currDelegateNewPosPrev, currDelegateNewPosNext)
        );
    }

    function claimEarnings(uint256 endRound) external guarded {
        endRound;
        _claim(msg.sender);
        _checkpoint(msg.sender);
    }

    function withdrawFees(address recipient, uint256 amount) external guarded {
        require(recipient != address(0), "invalid recipient");
        _claim(msg.sender);
        Delegator storage d = delegators[msg.sender];
        require(amount <= d.fees, "insufficient fees to withdraw");
        d.fees -= amount;
        _checkpoint(msg.sender);
        IMinter(_at(MINTER)).trustedWithdrawETH(payable(recipient), amount);
        emit WithdrawFees(msg.sender, recipient, amount);
    }

    function checkpointBondingState(address account) external {
        _checkpoint(account);
    }

    function _bond(uint256 amount, address owner, address to, Hint memory oldHint, Hint memory newHint)
        private
        guarded
    {
        if (owner != msg.sender) _mayBondFor(owner, to);
        _claim(owner);
        Delegator storage d = delegators[owner];
        address from = d.delegateAddress;
        uint256 moved = amount + _leaveDelegate(owner, to, oldHint);
        require(moved > 0, "delegation amount must be greater than 0");
        d.delegateAddress = to;
        d.bondedAmount += amount;
        _noteFactors(to, d.lastClaimRound);
        _increaseStake(to, moved, newHint);
        if (amount > 0) ILivepeerToken(_at(LIVEPEER_TOKEN)).transferFrom(msg.sender, _at(MINTER), amount);
        emit Bond(to, from, owner, amount, d.bondedAmount);
        _checkpoint(owner);
        if (to != owner) _checkpoint(to);
    }

    function _mayBondFor(address owner, address to) private view {
        require(owner != address(0), "INVALID_DELEGATOR");
        Delegator storage d = delegators[owner];
        if (d.bondedAmount == 0) {
            require(to != owner, "INVALID_DELEGATE");
        } else {
            require(to == d.delegateAddress, "INVALID_DELEGATE_CHANGE");
            _requireHarmlessClaim(owner);
        }
    }

    /// Prepares owner's record for the delegate to, and takes the stake that is to
    /// move there from the delegate it has now: all of it or, without a change, none.
    function _leaveDelegate(address owner, address to, Hint memory hint) private returns (uint256 moved) {
        Delegator storage d = delegators[owner];
        address from = d.delegateAddress;
        moved = d.bondedAmount;
        if (moved > 0 && from == to) return 0;
        if (moved > 0) {
            require(from != owner, "registered transcoders can't delegate towards other addresses");
            _decreaseStake(from, moved, hint);
            _checkpoint(from);
        }
        d.startRound = _round() + 1;
    }
}
