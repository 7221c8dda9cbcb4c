// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_MANAGER, Managed} from "./Managed.sol";
import {BondingState, IBondingManager, IBondingVotes} from "./interfaces.sol";
import {Percent} from "./Percent.sol";

/// Voting power by round. The BondingManager reports every change of stake; an
/// orchestrator votes with all that is delegated to it, a delegator with its own.
contract BondingVotes is Managed, IBondingVotes {
    struct Total {
        uint256 round;
        uint256 stake;
    }

    mapping(address => BondingState[]) private states;
    Total[] private totals;

    error InvalidCaller(address caller, address required);
    error InvalidStartRound(uint256 checkpointRound, uint256 requiredRound);
    error FutureLastClaimRound(uint256 lastClaimRound, uint256 maxAllowed);
    error InvalidTotalStakeCheckpointRound(uint256 checkpointRound, uint256 requiredRound);
    error FutureLookup(uint256 queryRound, uint256 maxAllowed);
    error MissingEarningsPool(address transcoder, uint256 round);
    error MustCallBondingManager(string bondingManagerFunction);

    modifier onlyBondingManager() {
        if (msg.sender != _at(BONDING_MANAGER)) revert InvalidCaller(msg.sender, _at(BONDING_MANAGER));
        _;
    }

    constructor(address controller) Managed(controller) {}

    function clock() public view returns (uint48) {
        return uint48(_round());
    }

    function CLOCK_MODE() external pure returns (string memory) {
        return "mode=livepeer_round";
    }

    function hasCheckpoint(address account) external view returns (bool) {
        return states[account].length > 0;
    }

    function getVotes(address account) external view returns (uint256) {
        return _votesAt(account, _round() + 1);
    }

    /// The votes at the end of a round, which are those of the next one's start.
    function getPastVotes(address account, uint256 round) external view returns (uint256) {
        _onlyPast(round);
        return _votesAt(account, round + 1);
    }

    function getPastTotalSupply(uint256 round) external view returns (uint256) {
        _onlyPast(round);
        for (uint256 i = totals.length; i > 0; i--) {
            if (totals[i - 1].round <= round + 1) return totals[i - 1].stake;
        }
        return 0;
    }

    /// Whom the account was bonded to at the end of a round.
    function delegatedAt(address account, uint256 round) external view returns (address) {
        _onlyPast(round);
        return _stateAt(account, round + 1).delegateAddress;
    }

    function delegate(address) external pure {
        revert MustCallBondingManager("bond");
    }

    function checkpointBondingState(address account, BondingState calldata bonding) external onlyBondingManager {
        uint256 required = _round() + 1;
        if (bonding.startRound != required) revert InvalidStartRound(bonding.startRound, required);
        if (bonding.lastClaimRound >= required) revert FutureLastClaimRound(bonding.lastClaimRound, required - 1);
        BondingState[] storage list = states[account];
        if (list.length > 0 && list[list.length - 1].startRound == required) list[list.length - 1] = bonding;
        else list.push(bonding);
    }

    function checkpointTotalActiveStake(uint256 totalStake, uint256 round) external onlyBondingManager {
        uint256 current = _round();
        if (round > current) revert InvalidTotalStakeCheckpointRound(round, current);
        totals.push(Total(round, totalStake));
    }

    function _onlyPast(uint256 round) private view {
        uint256 current = _round();
        if (round >= current) revert FutureLookup(round, current - 1);
    }

    function _stateAt(address account, uint256 round) private view returns (BondingState memory state) {
        BondingState[] storage list = states[account];
        for (uint256 i = list.length; i > 0; i--) {
            if (list[i - 1].startRound <= round) return list[i - 1];
        }
    }

    function _votesAt(address account, uint256 round) private view returns (uint256) {
        BondingState memory own = _stateAt(account, round);
        if (own.bondedAmount == 0) return 0;
        if (own.delegateAddress == account) return own.delegatedAmount;
        uint256 rewarded = _stateAt(own.delegateAddress, round).lastRewardRound;
        if (rewarded <= own.lastClaimRound) return own.bondedAmount;
        IBondingManager bonding = IBondingManager(_at(BONDING_MANAGER));
        uint256 then = bonding.rewardFactorAt(own.delegateAddress, rewarded);
        if (then == 0) revert MissingEarningsPool(own.delegateAddress, rewarded);
        uint256 since = bonding.rewardFactorAt(own.delegateAddress, own.lastClaimRound);
        return Percent.precise(own.bondedAmount, then, since == 0 ? Percent.PRECISE : since);
    }
}
