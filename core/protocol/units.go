package protocol

import (
	"encoding/hex"
	"errors"
)

// L1Block is a height of the layer-1 chain. Rounds, lock periods and the life of
// ticket parameters are counted in it, about 12 s each.
type L1Block uint64

// L2Block is a height of the layer-2 chain, which carries the transactions and
// logs. The two heights must never be mixed.
type L2Block uint64

// Round is a round's number.
type Round uint64

// LockID numbers one account's unbonding locks from 0.
type LockID uint64

// Gas is an amount of gas.
type Gas uint64

// Hash is a 32-byte hash: of a block, a round, a transaction.
type Hash [32]byte

// TxHash is a transaction's hash.
type TxHash = Hash

var errHash = errors.New("not a hash of the form 0x and 64 hexadecimal digits")

// IsZero reports whether no hash is set.
func (h Hash) IsZero() bool { return h == Hash{} }

// String prints 0x and 64 lower-case digits.
func (h Hash) String() string { return "0x" + hex.EncodeToString(h[:]) }

// MarshalText prints the hash as String does.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads 0x and 64 digits.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != 66 || text[0] != '0' || text[1] != 'x' {
		return errHash
	}
	if _, err := hex.Decode(h[:], text[2:]); err != nil {
		return errHash
	}
	return nil
}
