// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {BONDING_MANAGER, Managed} from "../Managed.sol";
import {IBondingManager} from "../interfaces.sol";
import {Funds} from "./Funds.sol";
import {Ticket, Tickets} from "./Tickets.sol";

/// Redeems winning tickets from their senders' deposits and reserves.
contract TicketBroker is Funds {
    using Tickets for Ticket;

    uint256 public ticketValidityPeriod;
    mapping(bytes32 ticketHash => bool) public usedTickets;

    event WinningTicketRedeemed(
        address indexed sender,
        address indexed recipient,
        uint256 faceValue,
        uint256 winProb,
        uint256 senderNonce,
        uint256 recipientRand,
        bytes auxData
    );
    event WinningTicketTransfer(address indexed sender, address indexed recipient, uint256 amount);

    constructor(address controller, uint256 _unlockPeriod, uint256 validityPeriod) Managed(controller) {
        unlockPeriod = _unlockPeriod;
        ticketValidityPeriod = validityPeriod;
    }

    function setTicketValidityPeriod(uint256 rounds) external onlyOwner {
        require(rounds > 0, "ticketValidityPeriod must be greater than 0");
        ticketValidityPeriod = rounds;
        emit ParameterUpdate("ticketValidityPeriod");
    }

    function getTicketHash(Ticket memory ticket) public pure returns (bytes32) {
        return ticket.hash();
    }

    function getSenderInfo(address _sender) external view returns (Sender memory sender, ReserveInfo memory reserve) {
        return (senders[_sender], getReserveInfo(_sender));
    }

    function redeemWinningTicket(Ticket memory ticket, bytes memory sig, uint256 recipientRand) public guarded {
        bytes32 ticketHash = ticket.hash();
        _requireWinning(ticket, ticketHash, sig, recipientRand);
        Sender storage sender = senders[ticket.sender];
        require(sender.withdrawRound == 0 || _round() < sender.withdrawRound, "sender is unlocked");
        require(sender.deposit > 0 || reserves[ticket.sender].funds > 0, "sender deposit and reserve are zero");
        usedTickets[ticketHash] = true;
        _pay(ticket, sender);
        emit WinningTicketRedeemed(
            ticket.sender,
            ticket.recipient,
            ticket.faceValue,
            ticket.winProb,
            ticket.senderNonce,
            recipientRand,
            ticket.auxData
        );
    }

    /// One bad ticket does not undo the others; who cares which were paid has to look.
    function batchRedeemWinningTickets(
        Ticket[] memory tickets,
        bytes[] memory sigs,
        uint256[] memory recipientRands
    ) external guarded {
        require(
            tickets.length == sigs.length && tickets.length == recipientRands.length,
            "each ticket needs a signature and a rand"
        );
        for (uint256 i = 0; i < tickets.length; i++) {
            try this.redeemWinningTicket(tickets[i], sigs[i], recipientRands[i]) {} catch {}
        }
    }

    /// The order of these checks is part of the interface: nodes read from the first
    /// reason whether trying again can help.
    function _requireWinning(Ticket memory ticket, bytes32 ticketHash, bytes memory sig, uint256 recipientRand)
        private
        view
    {
        require(ticket.recipient != address(0), "ticket recipient is null address");
        require(ticket.sender != address(0), "ticket sender is null address");
        (uint256 round, bytes32 blockHash) = ticket.creation();
        bytes32 expected = _rounds().blockHashForRound(round);
        require(expected != bytes32(0), "ticket creationRound does not have a block hash");
        require(expected == blockHash, "ticket creationRoundBlockHash invalid for creationRound");
        require(round + ticketValidityPeriod > _round(), "ticket is expired");
        require(
            keccak256(abi.encode(recipientRand)) == ticket.recipientRandHash,
            "recipientRand does not match recipientRandHash"
        );
        require(!usedTickets[ticketHash], "ticket is used");
        Tickets.requireSigned(ticketHash, ticket.sender, sig);
        require(ticket.wins(sig, recipientRand), "ticket did not win");
    }

    /// The deposit first, then what the recipient may claim of the reserve. That may
    /// be less than the face value, or nothing: the ticket is used all the same.
    function _pay(Ticket memory ticket, Sender storage sender) private {
        uint256 amount = ticket.faceValue;
        if (amount <= sender.deposit) {
            sender.deposit -= amount;
        } else {
            uint256 deposit = sender.deposit;
            sender.deposit = 0;
            amount = deposit + _claimReserve(ticket.sender, ticket.recipient, amount - deposit);
        }
        if (amount == 0) return;
        IBondingManager(_at(BONDING_MANAGER)).updateTranscoderWithFees(ticket.recipient, amount);
        emit WinningTicketTransfer(ticket.sender, ticket.recipient, amount);
    }
}
