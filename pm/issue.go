package pm

import (
	"encoding/binary"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// lengthBytes is how many bytes of a seed say how long the numbers after it are.
const lengthBytes = 6

// Issue completes parameters that are handed to a sender under a price: it makes the
// seed out of 32 random bytes, which must be new each time, and sets the hash of the
// number that the seed leads to. A recipient makes all its parameters with it,
// because Checker refuses seeds of another form.
func Issue(secret Secret, random protocol.Word, p Params, sender core.Address, price Price) Params {
	p.Seed = random
	lengths := p.lengths(price)
	copy(p.Seed[:], lengths[:])
	p.RecipientRandHash = RandHash(RecipientRand(secret, &p, sender, price))
	return p
}

// hasIssuedForm reports whether the seed is of Issue's form and fits the parameters.
//
// RecipientRand hashes its inputs without length separators, so without this check a
// sender could move the first bytes of the win probability to the end of the face
// value, or the last ones to the front of the expiration block. The number would be
// the same, and the ticket would have a face value that no deposit carries and that never wins, or
// parameters that never expire.
func (p *Params) hasIssuedForm(price Price) bool {
	return [lengthBytes]byte(p.Seed[:lengthBytes]) == p.lengths(price)
}

// lengths says how many bytes each number takes in the derivation. Its first byte is
// never 0, so that the seed itself always takes 32.
func (p *Params) lengths(price Price) (s [lengthBytes]byte) {
	r := price.Rat()
	s[0] = 0x80
	if !p.Expiration.IsZero() {
		s[0] |= 1
	}
	s[1] = byte(len(p.FaceValue.Big().Bytes()))
	s[2] = byte(len(minimal(p.WinProb[:])))
	s[3] = byte(len(minimal(binary.BigEndian.AppendUint64(nil, uint64(p.ExpirationBlock)))))
	s[4] = byte(len(r.Num().Bytes()))
	s[5] = byte(len(r.Denom().Bytes()))
	return s
}
