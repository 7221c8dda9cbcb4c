// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A price oracle whose price is what its admin says.
contract PriceFeed {
    address public admin;
    string public description;
    uint8 public decimals;
    uint80 private updates;
    int256 private price;
    uint256 private time;

    constructor(string memory pair, uint8 _decimals, int256 first) {
        admin = msg.sender;
        description = pair;
        decimals = _decimals;
        _set(first);
    }

    function setAnswer(int256 answer) external {
        require(msg.sender == admin, "only the admin sets the price");
        _set(answer);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return (updates, price, time, time, updates);
    }

    function _set(int256 answer) private {
        updates++;
        price = answer;
        time = block.timestamp;
    }
}
