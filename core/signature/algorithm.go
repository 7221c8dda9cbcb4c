package signature

import (
	"crypto/sha256"
	"hash"
)

// Algorithm is a hash function of segments and renditions.
type Algorithm int

const (
	// Keccak is the network's, Keccak-256.
	Keccak Algorithm = iota
	// SHA256 is used between nodes of this implementation that agreed on it: CPUs have instructions for it, which
	// make it two to five times as fast.
	SHA256
)

// New returns a hash of the algorithm.
func (a Algorithm) New() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return NewKeccak256()
}

// Digest is the hash of some content and how it was made.
type Digest struct {
	Algorithm Algorithm
	Sum       [HashSize]byte
}

// Sum returns the hash of data.
func (a Algorithm) Sum(data []byte) [HashSize]byte {
	if a == SHA256 {
		return sha256.Sum256(data)
	}
	return Keccak256(data)
}
