package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// pageNonces is how many nonces of a set have their bits in one row.
const pageNonces = 2048

// bit returns where a nonce is.
func bit(nonce uint32) (page int64, at int, mask byte) {
	return int64(nonce / pageNonces), int(nonce % pageNonces / 8), 1 << (nonce % 8)
}

func hasBit(bits []byte, at int, mask byte) bool { return at < len(bits) && bits[at]&mask != 0 }

// setBit returns the bits with one more; they are only as long as need be.
func setBit(bits []byte, at int, mask byte) []byte {
	if at >= len(bits) {
		bits = append(bits, make([]byte, at+1-len(bits))...)
	}
	bits[at] |= mask
	return bits
}

// packNonces writes nonces in ascending order, each as the distance from the one
// before: a ticket of a run takes one byte.
func packNonces(nonces []uint32) []byte {
	sorted := slices.Sorted(slices.Values(nonces))
	var out []byte
	last := uint32(0)
	for _, n := range sorted {
		out = binary.AppendUvarint(out, uint64(n-last))
		last = n
	}
	return out
}

var errNonces = errors.New("not a list of nonces")

// unpackNonces reads what packNonces wrote.
func unpackNonces(packed []byte) ([]uint32, error) {
	var out []uint32
	r := bytes.NewReader(packed)
	last := uint64(0)
	for r.Len() > 0 {
		d, err := binary.ReadUvarint(r)
		if err != nil || d > 1<<32 || last+d >= 1<<32 || d == 0 && len(out) > 0 {
			return nil, errNonces
		}
		last += d
		out = append(out, uint32(last))
	}
	return out, nil
}
