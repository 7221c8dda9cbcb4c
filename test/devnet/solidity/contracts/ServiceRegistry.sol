// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Where orchestrators say under which address they are reached. Anybody may
/// store any text, for itself. It is deployed twice: for video and for AI.
contract ServiceRegistry {
    mapping(address => string) private uris;

    event ServiceURIUpdate(address indexed addr, string serviceURI);

    function setServiceURI(string calldata serviceURI) external {
        uris[msg.sender] = serviceURI;
        emit ServiceURIUpdate(msg.sender, serviceURI);
    }

    function getServiceURI(address addr) external view returns (string memory) {
        return uris[addr];
    }
}
