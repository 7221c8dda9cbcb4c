package pm

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// RecipientRand finds the random number of a set of parameters again: an HMAC over
// everything that was promised with them, so that whatever a sender changes gives
// another number. The price is in lowest terms; RecipientRandHash is not read.
//
// The network's form has its numbers one after another in as few bytes as they
// need, so that bytes may be moved from one to the next without a change of the
// number. Only with a seed that Issue made, which says how long each is, does the
// number stand for the parameters: see Params.issued, which Checker asks.
func RecipientRand(secret Secret, p *Params, sender core.Address, price Price) protocol.Word {
	r := price.Rat()
	mac := hmac.New(sha256.New, secret[:])
	for _, part := range [][]byte{
		minimal(p.Seed[:]),
		sender[:],
		p.FaceValue.Big().Bytes(),
		minimal(p.WinProb[:]),
		minimal(binary.BigEndian.AppendUint64(nil, uint64(p.ExpirationBlock))),
		r.Num().Bytes(),
		r.Denom().Bytes(),
		p.Expiration.AuxData(),
	} {
		mac.Write(part)
	}
	return protocol.Word(mac.Sum(nil))
}

// minimal leaves out leading zeros.
func minimal(b []byte) []byte { return bytes.TrimLeft(b, "\x00") }
