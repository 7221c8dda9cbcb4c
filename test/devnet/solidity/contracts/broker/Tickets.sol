// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// What a sender promises: faceValue to the recipient if the draw falls below
/// winProb.
struct Ticket {
    address recipient;
    address sender;
    uint256 faceValue;
    uint256 winProb;
    uint256 senderNonce;
    bytes32 recipientRandHash;
    bytes auxData;
}

/// The pure part of a redemption: hash, signature and draw.
library Tickets {
    /// Half the order of the curve: a signature has two forms, and only that with
    /// the smaller s is accepted.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    function hash(Ticket memory ticket) internal pure returns (bytes32) {
        return keccak256(
            abi.encodePacked(
                ticket.recipient,
                ticket.sender,
                ticket.faceValue,
                ticket.winProb,
                ticket.senderNonce,
                ticket.recipientRandHash,
                ticket.auxData
            )
        );
    }

    /// The round in which the ticket was made, and that round's hash.
    function creation(Ticket memory ticket) internal pure returns (uint256 round, bytes32 blockHash) {
        require(ticket.auxData.length == 64, "invalid length for ticket auxData: must be 64 bytes");
        (round, blockHash) = abi.decode(ticket.auxData, (uint256, bytes32));
    }

    function requireSigned(bytes32 ticketHash, address sender, bytes memory sig) internal pure {
        require(sig.length == 65, "INVALID_SIGNATURE_LENGTH");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(sig, 32))
            s := mload(add(sig, 64))
            v := byte(0, mload(add(sig, 96)))
        }
        require(uint256(s) <= HALF_ORDER, "ECDSA: invalid signature 's' value");
        address signer = ecrecover(keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", ticketHash)), v, r, s);
        require(signer != address(0), "ECDSA: invalid signature");
        require(signer == sender, "invalid signature over ticket hash");
    }

    /// The signature takes part in the draw byte by byte, as it was passed.
    function wins(Ticket memory ticket, bytes memory sig, uint256 recipientRand) internal pure returns (bool) {
        return uint256(keccak256(abi.encodePacked(sig, recipientRand))) < ticket.winProb;
    }
}
