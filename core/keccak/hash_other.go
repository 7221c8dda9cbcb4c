//go:build !amd64

package keccak

import (
	"hash"

	"github.com/ethereum/go-ethereum/crypto/keccak"
)

// New returns a streaming keccak-256, Ethereum's, as fast as this machine
// allows. Write never fails. It is not for use by several goroutines at once.
func New() hash.Hash { return keccak.NewLegacyKeccak256() }
