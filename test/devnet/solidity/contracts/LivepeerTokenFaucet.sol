// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ILivepeerToken} from "./interfaces.sol";

/// Hands out stake tokens from its own balance, to each account once per wait.
contract LivepeerTokenFaucet {
    ILivepeerToken public token;
    address public admin;
    uint256 public requestAmount;
    /// In hours.
    uint256 public requestWait;
    mapping(address account => uint256) public nextValidRequest;
    mapping(address account => bool) public isWhitelisted;

    event Request(address indexed to, uint256 amount);

    constructor(address _token, uint256 amount, uint256 waitHours) {
        admin = msg.sender;
        token = ILivepeerToken(_token);
        requestAmount = amount;
        requestWait = waitHours;
    }

    function setWhitelisted(address account, bool may) external {
        require(msg.sender == admin, "only the admin whitelists");
        isWhitelisted[account] = may;
    }

    function request() external {
        // Too early is a revert without a reason, as on the networks that have a faucet.
        require(isWhitelisted[msg.sender] || block.timestamp >= nextValidRequest[msg.sender]);
        nextValidRequest[msg.sender] = block.timestamp + requestWait * 1 hours;
        token.transfer(msg.sender, requestAmount);
        emit Request(msg.sender, requestAmount);
    }
}
