// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_MANAGER, L1_CLOCK} from "./Managed.sol";
import {IBondingManager, IController} from "./interfaces.sol";
import {Poll} from "./Poll.sol";

/// Opens polls for those who have enough at stake.
contract PollCreator {
    uint256 public constant QUORUM = 333300;
    uint256 public constant QUOTA = 500000;
    uint256 public constant POLL_CREATION_COST = 100 ether;
    /// In L1 blocks.
    uint256 public POLL_PERIOD;
    IController private controller;

    event PollCreated(address indexed poll, bytes proposal, uint256 endBlock, uint256 quorum, uint256 quota);

    constructor(address _controller, uint256 period) {
        controller = IController(_controller);
        POLL_PERIOD = period;
    }

    function createPoll(bytes calldata proposal) external {
        IBondingManager bonding = IBondingManager(controller.getContract(BONDING_MANAGER));
        require(
            bonding.pendingStake(msg.sender, 0) >= POLL_CREATION_COST
                || bonding.transcoderTotalStake(msg.sender) >= POLL_CREATION_COST,
            "PollCreator#createPoll: INSUFFICIENT_STAKE"
        );
        uint256 end = L1_CLOCK.l1BlockNumber() + POLL_PERIOD;
        Poll poll = new Poll(end);
        emit PollCreated(address(poll), proposal, end, QUORUM, QUOTA);
    }
}
