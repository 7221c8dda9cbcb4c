// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IController, IL1Clock, IRoundsManager} from "./interfaces.sol";

IL1Clock constant L1_CLOCK = IL1Clock(0x0000000000000000000000000000000000000064);

bytes32 constant BONDING_MANAGER = keccak256("BondingManager");
bytes32 constant BONDING_VOTES = keccak256("BondingVotes");
bytes32 constant LIVEPEER_GOVERNOR = keccak256("LivepeerGovernor");
bytes32 constant LIVEPEER_TOKEN = keccak256("LivepeerToken");
bytes32 constant MINTER = keccak256("Minter");
bytes32 constant ROUNDS_MANAGER = keccak256("RoundsManager");
bytes32 constant TICKET_BROKER = keccak256("TicketBroker");
bytes32 constant TREASURY = keccak256("Treasury");

/// A contract that finds the others through the Controller at every call, so that
/// re-registering one is enough to replace it.
abstract contract Managed {
    IController public controller;

    event ParameterUpdate(string param);

    modifier onlyOwner() {
        require(msg.sender == controller.owner(), "caller must be Controller owner");
        _;
    }

    modifier onlyContract(bytes32 id) {
        _onlyContract(id);
        _;
    }

    modifier whenNotPaused() {
        _whenNotPaused();
        _;
    }

    /// The two guards of nearly every call, pause first.
    modifier guarded() {
        _whenNotPaused();
        require(_rounds().currentRoundInitialized(), "current round is not initialized");
        _;
    }

    constructor(address _controller) {
        controller = IController(_controller);
    }

    function _whenNotPaused() private view {
        require(!controller.paused(), "system is paused");
    }

    function _onlyContract(bytes32 id) private view {
        require(msg.sender == _at(id), "caller must be a registered contract");
    }

    function _at(bytes32 id) internal view returns (address) {
        return controller.getContract(id);
    }

    function _rounds() internal view returns (IRoundsManager) {
        return IRoundsManager(_at(ROUNDS_MANAGER));
    }

    function _round() internal view returns (uint256) {
        return _rounds().currentRound();
    }
}
