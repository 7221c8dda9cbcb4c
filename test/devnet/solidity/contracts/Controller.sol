// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Where every other contract is found, by the hash of its name, and the switch
/// that pauses them all.
contract Controller {
    struct Entry {
        address contractAddress;
        bytes20 gitCommitHash;
    }

    address public owner;
    bool public paused;
    mapping(bytes32 => Entry) private entries;

    event SetContractInfo(bytes32 id, address contractAddress, bytes20 gitCommitHash);
    event Pause();
    event Unpause();
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    modifier onlyOwner() {
        require(msg.sender == owner, "only the owner");
        _;
    }

    constructor() {
        owner = msg.sender;
        emit OwnershipTransferred(address(0), msg.sender);
    }

    function getContract(bytes32 id) external view returns (address) {
        return entries[id].contractAddress;
    }

    function getContractInfo(bytes32 id) external view returns (address, bytes20) {
        return (entries[id].contractAddress, entries[id].gitCommitHash);
    }

    function setContractInfo(bytes32 id, address contractAddress, bytes20 gitCommitHash) external onlyOwner {
        entries[id] = Entry(contractAddress, gitCommitHash);
        emit SetContractInfo(id, contractAddress, gitCommitHash);
    }

    function transferOwnership(address newOwner) external onlyOwner {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function pause() external onlyOwner {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpause();
    }
}
