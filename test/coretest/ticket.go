package coretest

import (
	"crypto/ecdsa"
	"encoding/binary"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// Ticket makes a ticket that wins for sure, of the last initialized round. Its
// random number follows from its nonce.
func Ticket(sender *ecdsa.PrivateKey, recipient core.Address, value core.Wei, nonce uint64,
	round protocol.RoundState) protocol.WinningTicket {
	t := protocol.WinningTicket{
		Recipient: recipient, Sender: AddressOf(sender), FaceValue: value, SenderNonce: nonce,
		CreationRound: round.LastInitialized, CreationRoundHash: round.LastHash,
	}
	for i := range t.WinProb {
		t.WinProb[i] = 0xff
	}
	binary.BigEndian.PutUint64(t.RecipientRand[:], nonce+1)
	t.RecipientRandHash = pm.RandHash(t.RecipientRand)
	return SignTicket(sender, t)
}

// SignTicket signs a ticket again.
func SignTicket(sender *ecdsa.PrivateKey, t protocol.WinningTicket) protocol.WinningTicket {
	hash := t.Hash()
	sig, err := signature.EthSign(sender, hash[:])
	if err != nil {
		panic("coretest: " + err.Error())
	}
	copy(t.Signature[:], sig)
	return t
}

// AddressOf returns the account of a key.
func AddressOf(key *ecdsa.PrivateKey) core.Address {
	return core.Address(crypto.PubkeyToAddress(key.PublicKey))
}
