// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Fractions on the three scales of the protocol. Everything truncates, and a
/// share first becomes a truncated fraction and is applied then.
library Percent {
    uint256 internal constant MILLION = 1e6;
    uint256 internal constant BILLION = 1e9;
    uint256 internal constant PRECISE = 1e27;

    function share(uint256 amount, uint256 part, uint256 whole, uint256 scale) internal pure returns (uint256) {
        return (amount * ((part * scale) / whole)) / scale;
    }

    function precise(uint256 amount, uint256 part, uint256 whole) internal pure returns (uint256) {
        return share(amount, part, whole, PRECISE);
    }

    function millionths(uint256 amount, uint256 rate) internal pure returns (uint256) {
        return (amount * rate) / MILLION;
    }
}
