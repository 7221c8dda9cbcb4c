// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Managed, BONDING_MANAGER, LIVEPEER_TOKEN, ROUNDS_MANAGER, TICKET_BROKER} from "./Managed.sol";
import {IBondingManager, ILivepeerToken, IMinter} from "./interfaces.sol";
import {Percent} from "./Percent.sol";

/// Holds all bonded tokens and all deposits, reserves and fees, and says how much
/// each round may mint.
contract Minter is Managed, IMinter {
    uint256 public inflation;
    uint256 public inflationChange;
    uint256 public targetBondingRate;
    uint256 public currentMintableTokens;
    uint256 public currentMintedTokens;
    /// What circulates on L1; the bridge's cache on the real network.
    uint256 public l1CirculatingSupply;

    event SetCurrentRewardTokens(uint256 currentMintableTokens, uint256 currentInflation);

    constructor(address controller, uint256 _inflation, uint256 change, uint256 target) Managed(controller) {
        inflation = _inflation;
        inflationChange = change;
        targetBondingRate = target;
    }

    function setInflation(uint256 rate) external onlyOwner {
        inflation = rate;
        emit ParameterUpdate("inflation");
    }

    function setInflationChange(uint256 change) external onlyOwner {
        inflationChange = change;
        emit ParameterUpdate("inflationChange");
    }

    function setTargetBondingRate(uint256 target) external onlyOwner {
        targetBondingRate = target;
        emit ParameterUpdate("targetBondingRate");
    }

    function setL1CirculatingSupply(uint256 supply) external onlyOwner {
        l1CirculatingSupply = supply;
        emit ParameterUpdate("l1CirculatingSupply");
    }

    function getGlobalTotalSupply() public view returns (uint256) {
        return _token().totalSupply() + l1CirculatingSupply;
    }

    function setCurrentRewardTokens() external onlyContract(ROUNDS_MANAGER) {
        uint256 supply = getGlobalTotalSupply();
        inflation = _nextInflation(supply);
        currentMintableTokens = (supply * inflation) / Percent.BILLION;
        currentMintedTokens = 0;
        emit SetCurrentRewardTokens(currentMintableTokens, inflation);
    }

    /// One step up while too little is bonded, one step down while too much is.
    function _nextInflation(uint256 supply) private view returns (uint256) {
        uint256 bonded = IBondingManager(_at(BONDING_MANAGER)).getTotalBonded();
        uint256 rate = supply == 0 ? 0 : (bonded * Percent.BILLION) / supply;
        if (rate < targetBondingRate) return inflation + inflationChange;
        if (rate == targetBondingRate) return inflation;
        return inflation > inflationChange ? inflation - inflationChange : 0;
    }

    function createReward(uint256 stake, uint256 totalStake)
        external
        whenNotPaused
        onlyContract(BONDING_MANAGER)
        returns (uint256 amount)
    {
        amount = Percent.share(currentMintableTokens, stake, totalStake, Percent.BILLION);
        currentMintedTokens += amount;
        require(currentMintedTokens <= currentMintableTokens, "minted tokens cannot exceed mintable tokens");
        _token().mint(address(this), amount);
    }

    function trustedTransferTokens(address to, uint256 amount) external whenNotPaused onlyContract(BONDING_MANAGER) {
        _token().transfer(to, amount);
    }

    function trustedWithdrawETH(address payable to, uint256 amount) external whenNotPaused {
        require(msg.sender == _at(BONDING_MANAGER) || msg.sender == _at(TICKET_BROKER), "caller holds no ETH here");
        require(address(this).balance >= amount, "the Minter holds less ETH than that");
        // 2300 gas: a recipient that wants to do more with the money cannot be paid.
        to.transfer(amount);
    }

    function depositETH() external payable {}

    function _token() private view returns (ILivepeerToken) {
        return ILivepeerToken(_at(LIVEPEER_TOKEN));
    }
}
