// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_MANAGER, Managed} from "../Managed.sol";
import {IBondingManager} from "../interfaces.sol";

/// What senders keep for the case that their deposit runs out. Each round every
/// active orchestrator may claim an equal part.
abstract contract Reserves is Managed {
    struct ReserveInfo {
        uint256 fundsRemaining;
        uint256 claimedInCurrentRound;
    }

    struct Reserve {
        uint256 funds;
        mapping(uint256 => uint256) claimedIn;
        mapping(uint256 => mapping(address => uint256)) claimedBy;
    }

    mapping(address => Reserve) internal reserves;

    event ReserveFunded(address indexed reserveHolder, uint256 amount);
    event ReserveClaimed(address indexed reserveHolder, address claimant, uint256 amount);

    function getReserveInfo(address reserveHolder) public view returns (ReserveInfo memory info) {
        info.fundsRemaining = reserves[reserveHolder].funds;
        info.claimedInCurrentRound = reserves[reserveHolder].claimedIn[_round()];
    }

    function claimedReserve(address reserveHolder, address claimant) public view returns (uint256) {
        return reserves[reserveHolder].claimedBy[_round()][claimant];
    }

    /// The pool's size is that of the moment, also in the middle of a round.
    function claimableReserve(address reserveHolder, address claimant) public view returns (uint256) {
        IBondingManager bonding = IBondingManager(_at(BONDING_MANAGER));
        uint256 poolSize = bonding.getTranscoderPoolSize();
        if (poolSize == 0 || !bonding.isActiveTranscoder(claimant)) return 0;
        ReserveInfo memory info = getReserveInfo(reserveHolder);
        return (info.fundsRemaining + info.claimedInCurrentRound) / poolSize - claimedReserve(reserveHolder, claimant);
    }

    function _claimReserve(address holder, address claimant, uint256 wanted) internal returns (uint256 amount) {
        amount = claimableReserve(holder, claimant);
        if (amount > wanted) amount = wanted;
        if (amount == 0) return 0;
        Reserve storage reserve = reserves[holder];
        uint256 round = _round();
        reserve.funds -= amount;
        reserve.claimedIn[round] += amount;
        reserve.claimedBy[round][claimant] += amount;
        emit ReserveClaimed(holder, claimant, amount);
    }
}
