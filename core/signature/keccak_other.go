//go:build !amd64

package signature

import (
	"hash"

	"github.com/ethereum/go-ethereum/crypto/keccak"
)

// NewKeccak256 returns a streaming keccak-256, Ethereum's, as fast as this machine
// allows. Write never fails. It is not for use by several goroutines at once.
func NewKeccak256() hash.Hash { return keccak.NewLegacyKeccak256() }
