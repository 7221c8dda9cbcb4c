package pm

import (
	"bytes"
	"hash"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/keccak"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
)

// personal stands before a hash in what is signed (EIP-191, 32 bytes).
const personal = "\x19Ethereum Signed Message:\n32"

// halfOrder is half of secp256k1's order: a signature with a larger s is the same
// one written in another way, and would draw again.
const halfOrder = "\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" +
	"\x5d\x57\x6e\x73\x57\xa4\x50\x1d\xdf\xe9\x2f\x46\x68\x1b\x20\xa0"

// reader checks one ticket after another of a payment. What is the same for all is
// prepared once, and its buffers are used again, because recovering the signer is
// nearly all that a ticket should cost. See BenchmarkTicket.
type reader struct {
	sender  core.Address
	winProb protocol.Word
	keccak  hash.Hash
	// ticket is the preimage of the ticket's hash, message that of the digest, draw
	// that of the draw: 65 bytes of signature and the recipient's random number.
	ticket  []byte
	message [len(personal) + keccak.Size]byte
	draw    [signature.Length + 32]byte
	sig     [signature.Length]byte
	out     [keccak.Size]byte
}

func newReader(p *Payment, rand protocol.Word) *reader {
	terms := p.Terms()
	r := &reader{sender: p.Sender, winProb: terms.WinProb, keccak: keccak.New(), ticket: terms.preimage(p.Sender)}
	copy(r.message[:], personal)
	copy(r.draw[signature.Length:], rand[:])
	return r
}

// read says whether the sender signed the ticket and whether it wins.
func (r *reader) read(t *Signed) (signed, wins bool) {
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
	copy(r.message[len(personal):], r.sum(r.ticket))
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

// sum hashes b into a buffer that the next call uses again.
func (r *reader) sum(b []byte) []byte {
	r.keccak.Reset()
	r.keccak.Write(b)
	return r.keccak.Sum(r.out[:0])
}
