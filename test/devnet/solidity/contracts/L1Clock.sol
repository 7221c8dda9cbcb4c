// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// The two block counters of a rollup, on a chain that has only one of its own.
/// It stands in the genesis block at 0x64 and has no constructor: slot 0 holds the
/// L1 number and slot 1 the only account that may move it.
contract L1Clock {
    uint256 private number;
    address private sequencer;

    /// The L1 block that contracts executed in this block see.
    function l1BlockNumber() external view returns (uint256) {
        return number;
    }

    /// The number of the block itself, which is what JSON-RPC counts in.
    function arbBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function advanceTo(uint256 l1Block) external {
        require(msg.sender == sequencer, "only the sequencer moves the L1 clock");
        require(l1Block >= number, "the L1 clock never runs backwards");
        number = l1Block;
    }
}
