package protocol

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/crypto"
)

// AuxData returns the creation round, as a number of 256 bits, and its hash: the part of
// a ticket that binds it to its time, as its hash covers it.
func (t *WinningTicket) AuxData() []byte {
	round := word64(uint64(t.CreationRound))
	return append(round[:], t.CreationRoundHash[:]...)
}

// Hash identifies the ticket at the ticket broker: it covers all that the sender signed, and neither the
// signature nor the recipient's number.
func (t *WinningTicket) Hash() Hash {
	value, _ := WordOf(t.FaceValue.Big()) // no amount of wei is longer
	nonce := word64(t.SenderNonce)
	return Hash(crypto.Keccak256(t.Recipient[:], t.Sender[:], value[:], t.WinProb[:], nonce[:], t.RecipientRandHash[:],
		t.AuxData()))
}

func word64(n uint64) (w Word) {
	binary.BigEndian.PutUint64(w[24:], n)
	return w
}
