// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Managed, BONDING_MANAGER, L1_CLOCK, MINTER} from "./Managed.sol";
import {IBondingManager, IMinter} from "./interfaces.sol";
import {Percent} from "./Percent.sol";

/// Rounds, counted in L1 blocks. A round exists as soon as the clock says so, and
/// is of use only after somebody has initialised it.
contract RoundsManager is Managed {
    uint256 public roundLength;
    uint256 public roundLockAmount;
    uint256 public lastRoundLengthUpdateRound;
    uint256 public lastRoundLengthUpdateStartBlock;
    uint256 public lastInitializedRound;
    mapping(uint256 round => bytes32) public blockHashForRound;
    mapping(uint256 lip => uint256) public lipUpgradeRound;

    event NewRound(uint256 indexed round, bytes32 blockHash);

    /// firstRound begins at the L1 block of the deployment, not initialised.
    constructor(address controller, uint256 length, uint256 lockAmount, uint256 firstRound) Managed(controller) {
        require(length > 0 && firstRound > 0, "a round needs a length, and the first a number above 0");
        roundLength = length;
        roundLockAmount = lockAmount;
        lastRoundLengthUpdateRound = firstRound;
        lastRoundLengthUpdateStartBlock = blockNum();
        lastInitializedRound = firstRound - 1;
    }

    /// The current round keeps its number and its start.
    function setRoundLength(uint256 length) external onlyOwner {
        require(length > 0, "round length cannot be 0");
        uint256 start = currentRoundStartBlock();
        lastRoundLengthUpdateRound = currentRound();
        lastRoundLengthUpdateStartBlock = start;
        roundLength = length;
        emit ParameterUpdate("roundLength");
    }

    function setRoundLockAmount(uint256 lockAmount) external onlyOwner {
        require(lockAmount <= Percent.MILLION, "round lock amount must be a valid percentage");
        roundLockAmount = lockAmount;
        emit ParameterUpdate("roundLockAmount");
    }

    function setLIPUpgradeRound(uint256 lip, uint256 round) external onlyOwner {
        lipUpgradeRound[lip] = round;
    }

    function initializeRound() external whenNotPaused {
        uint256 round = currentRound();
        require(lastInitializedRound < round, "round already initialized");
        bytes32 hash = blockHash(blockNum() - 1);
        lastInitializedRound = round;
        blockHashForRound[round] = hash;
        IBondingManager(_at(BONDING_MANAGER)).setCurrentRoundTotalActiveStake();
        IMinter(_at(MINTER)).setCurrentRewardTokens();
        emit NewRound(round, hash);
    }

    function blockNum() public view returns (uint256) {
        return L1_CLOCK.l1BlockNumber();
    }

    /// As on the real chain no hash of an Ethereum block, only a value that nobody
    /// could know before, and never zero.
    function blockHash(uint256 blockNumber) public view returns (bytes32) {
        uint256 current = blockNum();
        require(blockNumber < current, "can only retrieve past block hashes");
        require(blockNumber + 256 >= current, "can only retrieve hashes for last 256 blocks");
        return keccak256(abi.encode(blockhash(block.number - 1), blockNumber));
    }

    function currentRound() public view returns (uint256) {
        return lastRoundLengthUpdateRound + (blockNum() - lastRoundLengthUpdateStartBlock) / roundLength;
    }

    function currentRoundStartBlock() public view returns (uint256) {
        return lastRoundLengthUpdateStartBlock + (currentRound() - lastRoundLengthUpdateRound) * roundLength;
    }

    function currentRoundInitialized() external view returns (bool) {
        return lastInitializedRound == currentRound();
    }

    function currentRoundLocked() external view returns (bool) {
        uint256 locked = Percent.millionths(roundLength, roundLockAmount);
        return blockNum() - currentRoundStartBlock() >= roundLength - locked;
    }
}
