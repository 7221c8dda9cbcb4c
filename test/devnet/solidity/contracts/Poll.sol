// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {L1_CLOCK} from "./Managed.sol";

/// A poll keeps no votes: they are events, weighed by whoever reads them.
contract Poll {
    /// An L1 block; the last in which votes count.
    uint256 public endBlock;

    event Vote(address indexed voter, uint256 choiceID);

    constructor(uint256 end) {
        endBlock = end;
    }

    function vote(uint256 choiceID) external {
        require(L1_CLOCK.l1BlockNumber() <= endBlock, "poll is over");
        emit Vote(msg.sender, choiceID);
    }
}
