// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Managed, LIVEPEER_GOVERNOR} from "./Managed.sol";
import {ITreasury} from "./interfaces.sol";

/// Holds the treasury's share of all rewards and does what accepted proposals say.
contract Treasury is Managed, ITreasury {
    constructor(address controller) Managed(controller) {}

    receive() external payable {}

    function execute(address target, uint256 value, bytes calldata data) external onlyContract(LIVEPEER_GOVERNOR) {
        (bool ok,) = target.call{value: value}(data);
        require(ok, "an action of the proposal failed");
    }
}
