package pm

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
)

// Where the fields of a ticket stand in what is hashed. All numbers are words.
const (
	recipientAt  = 0
	senderAt     = recipientAt + 20
	faceValueAt  = senderAt + 20
	winProbAt    = faceValueAt + 32
	nonceAt      = winProbAt + 32
	randHashAt   = nonceAt + 32
	auxDataAt    = randHashAt + 32
	auxDataBytes = 64
)

// IsZero reports whether there is no expiration.
func (e Expiration) IsZero() bool { return e == Expiration{} }

// AuxData returns an expiration in a ticket's form: the round as a word and its hash,
// or nothing when both are zero.
func (e Expiration) AuxData() []byte {
	if e.IsZero() {
		return nil
	}
	b := make([]byte, 24, auxDataBytes)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Round))
	return append(b, e.BlockHash[:]...)
}

// preimage returns what a ticket's hash is made of, with every field but the nonce,
// which is 0.
func (p *Params) preimage(sender core.Address) []byte {
	b := make([]byte, auxDataAt, auxDataAt+auxDataBytes)
	copy(b[recipientAt:], p.Recipient[:])
	copy(b[senderAt:], sender[:])
	p.FaceValue.Big().FillBytes(b[faceValueAt:winProbAt])
	copy(b[winProbAt:], p.WinProb[:])
	copy(b[randHashAt:], p.RecipientRandHash[:])
	return append(b, p.Expiration.AuxData()...)
}

// putNonce writes a nonce, of 32 bits, into a preimage whose nonce fits in 32 bits.
func putNonce(preimage []byte, nonce uint32) {
	binary.BigEndian.PutUint32(preimage[randHashAt-4:], nonce)
}

// TicketHash returns the hash by which the ticket broker knows a ticket.
func (p *Params) TicketHash(sender core.Address, nonce uint32) protocol.Hash {
	b := p.preimage(sender)
	putNonce(b, nonce)
	return signature.Keccak256(b)
}

// TicketMessage returns what the sender signs of a ticket.
func (p *Params) TicketMessage(sender core.Address, nonce uint32) (signature.Message, error) {
	b := p.preimage(sender)
	putNonce(b, nonce)
	return signature.TicketMessage(common.Address(sender), b)
}

// TicketDigest returns what a sender signs of a ticket. Key stores that sign digests sign
// this one and add 27 to the last byte.
func TicketDigest(hash protocol.Hash) [32]byte { return signature.EthDigest(hash[:]) }

// RandHash returns the hash of a recipient's random number, which binds it before the
// sender signs.
func RandHash(rand protocol.Word) protocol.Hash { return signature.Keccak256(rand[:]) }

// Winning returns a ticket of these parameters as it is redeemed. A signature that is not
// 65 bytes long is cut or filled with zeros: the ticket was not checked then.
func (p *Params) Winning(sender core.Address, t Signed, rand protocol.Word) protocol.WinningTicket {
	w := protocol.WinningTicket{
		Recipient:         p.Recipient,
		Sender:            sender,
		FaceValue:         p.FaceValue,
		WinProb:           p.WinProb,
		SenderNonce:       uint64(t.Nonce),
		RecipientRandHash: p.RecipientRandHash,
		CreationRound:     p.Expiration.Round,
		CreationRoundHash: p.Expiration.BlockHash,
		RecipientRand:     rand,
	}
	copy(w.Signature[:], t.Sig)
	return w
}
