package signature

import (
	"hash"

	"github.com/ethereum/go-ethereum/crypto/keccak"
)

// Size is the length of a hash in bytes.
const Size = 32

// NewHash returns a streaming keccak-256, Ethereum's, as fast as this machine
// allows. Write never fails. It is not for use by several goroutines at once.
func NewHash() hash.Hash { return keccak.NewLegacyKeccak256() }

// Keccak hashes the parts one after another.
func Keccak(parts ...[]byte) [Size]byte {
	h := NewHash()
	for _, p := range parts {
		h.Write(p)
	}
	var out [Size]byte
	h.Sum(out[:0])
	return out
}
