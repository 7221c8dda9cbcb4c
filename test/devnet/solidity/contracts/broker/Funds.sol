// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MINTER} from "../Managed.sol";
import {IMinter} from "../interfaces.sol";
import {Reserves} from "./Reserves.sol";

/// Deposits, and how senders get deposit and reserve back: unlock, wait, withdraw.
abstract contract Funds is Reserves {
    struct Sender {
        uint256 deposit;
        /// From this round on the sender is unlocked; zero for none.
        uint256 withdrawRound;
    }

    uint256 public unlockPeriod;
    mapping(address => Sender) internal senders;

    event DepositFunded(address indexed sender, uint256 amount);
    event Unlock(address indexed sender, uint256 startRound, uint256 endRound);
    event UnlockCancelled(address indexed sender);
    event Withdrawal(address indexed sender, uint256 deposit, uint256 reserve);

    function setUnlockPeriod(uint256 rounds) external onlyOwner {
        unlockPeriod = rounds;
        emit ParameterUpdate("unlockPeriod");
    }

    function fundDeposit() external payable whenNotPaused {
        _addDeposit(msg.sender, msg.value);
        _moveToMinter();
    }

    function fundReserve() external payable whenNotPaused {
        _addReserve(msg.sender, msg.value);
        _moveToMinter();
    }

    function fundDepositAndReserve(uint256 depositAmount, uint256 reserveAmount) external payable {
        fundDepositAndReserveFor(msg.sender, depositAmount, reserveAmount);
    }

    function fundDepositAndReserveFor(address addr, uint256 depositAmount, uint256 reserveAmount)
        public
        payable
        whenNotPaused
    {
        require(
            msg.value == depositAmount + reserveAmount,
            "msg.value does not equal sum of deposit amount and reserve amount"
        );
        _addDeposit(addr, depositAmount);
        _addReserve(addr, reserveAmount);
        _moveToMinter();
    }

    function unlock() external whenNotPaused {
        Sender storage sender = senders[msg.sender];
        require(sender.deposit > 0 || reserves[msg.sender].funds > 0, "sender deposit and reserve are zero");
        require(sender.withdrawRound == 0, "unlock already initiated");
        uint256 round = _round();
        sender.withdrawRound = round + unlockPeriod;
        emit Unlock(msg.sender, round, sender.withdrawRound);
    }

    function cancelUnlock() external whenNotPaused {
        _cancelUnlock();
    }

    function withdraw() external whenNotPaused {
        Sender memory sender = senders[msg.sender];
        uint256 reserve = reserves[msg.sender].funds;
        require(sender.deposit > 0 || reserve > 0, "sender deposit and reserve are zero");
        require(sender.withdrawRound > 0, "no unlock request in progress");
        require(sender.withdrawRound <= _round(), "account is locked");
        delete senders[msg.sender];
        reserves[msg.sender].funds = 0;
        IMinter(_at(MINTER)).trustedWithdrawETH(payable(msg.sender), sender.deposit + reserve);
        emit Withdrawal(msg.sender, sender.deposit, reserve);
    }

    function isUnlockInProgress(address sender) public view returns (bool) {
        return senders[sender].withdrawRound > 0;
    }

    function _addDeposit(address sender, uint256 amount) private {
        senders[sender].deposit += amount;
        _keepLocked(sender);
        emit DepositFunded(sender, amount);
    }

    function _addReserve(address sender, uint256 amount) private {
        reserves[sender].funds += amount;
        _keepLocked(sender);
        emit ReserveFunded(sender, amount);
    }

    /// Who adds to its own funds does not want them back; what a third party adds
    /// says nothing.
    function _keepLocked(address sender) private {
        if (sender == msg.sender && isUnlockInProgress(sender)) _cancelUnlock();
    }

    function _cancelUnlock() private {
        require(isUnlockInProgress(msg.sender), "no unlock request in progress");
        senders[msg.sender].withdrawRound = 0;
        emit UnlockCancelled(msg.sender);
    }

    function _moveToMinter() private {
        IMinter(_at(MINTER)).depositETH{value: msg.value}();
    }
}
