package pm

import (
	"bytes"
	"hash"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
)

// messagePrefix precedes a hash of 32 bytes in a signed message (EIP-191).
const messagePrefix = "\x19Ethereum Signed Message:\n32"

// halfOrder is half of secp256k1's order. A signature with a larger s is another encoding of a valid one.
// The signature is part of the draw, so accepting both would give a ticket two chances to win.
const halfOrder = "\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
	"\x5d\x57\x6e\x73\x57\xa4\x50\x1d\xdf\xe9\x2f\x46\x68\x1b\x20\xa0"

// verifier verifies the tickets of a payment one after another. It prepares what they share once and reuses
// its buffers, so that recovering the signer is nearly the whole cost of a ticket. See BenchmarkTicket.
type verifier struct {
	sender  core.Address
	winProb protocol.Word
	keccak  hash.Hash
	// ticket, message and draw are the preimages of the ticket's hash, of the signed digest and of the draw.
	// That of the draw is the signature and the recipient's random number.
	ticket  []byte
	message [len(messagePrefix) + signature.HashSize]byte
	draw    [signature.Length + 32]byte
	sig     [signature.Length]byte
	out     [signature.HashSize]byte
}

func newVerifier(p *Payment, rand protocol.Word) *verifier {
	terms := p.Terms()
	r := &verifier{sender: p.Sender, winProb: terms.WinProb, keccak: signature.NewKeccak256(),
		ticket: terms.preimage(p.Sender)}
	copy(r.message[:], messagePrefix)
	copy(r.draw[signature.Length:], rand[:])
	return r
}

// verify reports whether the sender signed the ticket, and whether it wins.
func (r *verifier) verify(t *Signed) (signed, wins bool) {
	if len(t.Sig) != signature.Length || string(t.Sig[32:64]) > halfOrder {
		return false, false
	}
	v := t.Sig[signature.Length-1]
	if v != 27 && v != 28 {
		return false, false
	}
	copy(r.sig[:], t.Sig)
	r.sig[signature.Length-1] = v - 27
	putNonce(r.ticket, t.Nonce)
	copy(r.message[len(messagePrefix):], r.sum(r.ticket))
	key, err := crypto.Ecrecover(r.sum(r.message[:]), r.sig[:])
	if err != nil {
		return false, false
	}
	// An address is the last 20 bytes of the hash of the key's coordinates.
	if !bytes.Equal(r.sum(key[1:])[12:], r.sender[:]) {
		return false, false
	}
	copy(r.draw[:], t.Sig)
	return true, below(r.sum(r.draw[:]), r.winProb)
}

// sum hashes b. The result is valid until the next call.
func (r *verifier) sum(b []byte) []byte {
	r.keccak.Reset()
	r.keccak.Write(b)
	return r.keccak.Sum(r.out[:0])
}
