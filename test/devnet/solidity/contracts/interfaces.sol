// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// What the contracts know of one another: only the calls they make.

interface IL1Clock {
    function l1BlockNumber() external view returns (uint256);
}

interface IController {
    function owner() external view returns (address);
    function paused() external view returns (bool);
    function getContract(bytes32 id) external view returns (address);
}

interface IRoundsManager {
    function currentRound() external view returns (uint256);
    function currentRoundInitialized() external view returns (bool);
    function currentRoundLocked() external view returns (bool);
    function blockHashForRound(uint256 round) external view returns (bytes32);
}

interface ILivepeerToken {
    function totalSupply() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function mint(address to, uint256 amount) external;
}

interface IMinter {
    function setCurrentRewardTokens() external;
    function createReward(uint256 stake, uint256 totalStake) external returns (uint256);
    function trustedTransferTokens(address to, uint256 amount) external;
    function trustedWithdrawETH(address payable to, uint256 amount) external;
    function depositETH() external payable;
}

interface IBondingManager {
    function setCurrentRoundTotalActiveStake() external;
    function updateTranscoderWithFees(address transcoder, uint256 fees) external;
    function isActiveTranscoder(address transcoder) external view returns (bool);
    function getTranscoderPoolSize() external view returns (uint256);
    function getTotalBonded() external view returns (uint256);
    function pendingStake(address delegator, uint256 endRound) external view returns (uint256);
    function transcoderTotalStake(address transcoder) external view returns (uint256);
    function rewardFactorAt(address transcoder, uint256 round) external view returns (uint256);
}

/// The state of an account that decides its votes from startRound on.
struct BondingState {
    uint256 startRound;
    uint256 bondedAmount;
    address delegateAddress;
    uint256 delegatedAmount;
    uint256 lastClaimRound;
    uint256 lastRewardRound;
}

interface IBondingVotes {
    function checkpointBondingState(address account, BondingState calldata bonding) external;
    function checkpointTotalActiveStake(uint256 totalStake, uint256 round) external;
    function getPastVotes(address account, uint256 round) external view returns (uint256);
    function getPastTotalSupply(uint256 round) external view returns (uint256);
    function delegatedAt(address account, uint256 round) external view returns (address);
}

interface ITreasury {
    function execute(address target, uint256 value, bytes calldata data) external;
}
