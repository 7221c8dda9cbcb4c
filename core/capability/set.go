package capability

import (
	"math/bits"
	"slices"
)

// wordBits is the number of capabilities in one word of a bit string.
const wordBits = 64

// maxID bounds what With puts into a set, so that a wild number cannot make a
// huge one. The network uses 0 to 37.
const maxID = 64*wordBits - 1

// Set is a set of capabilities as the network writes it: bit j of word i stands
// for capability 64·i + j. The zero value is empty. Methods never change the
// receiver's words.
type Set []uint64

// Of returns the set of the given capabilities. Numbers that are never sent (below 0,
// above 4095) are left out.
func Of(ids ...ID) Set { return Set(nil).With(ids...) }

// Has reports whether id is in the set.
func (s Set) Has(id ID) bool {
	if id < 0 || int(id)/wordBits >= len(s) {
		return false
	}
	return s[id/wordBits]&(1<<(id%wordBits)) != 0
}

// With returns the set with ids added; it grows to the highest one.
func (s Set) With(ids ...ID) Set {
	out := slices.Clone(s)
	for _, id := range ids {
		if id < 0 || id > maxID {
			continue
		}
		for int(id)/wordBits >= len(out) {
			out = append(out, 0)
		}
		out[id/wordBits] |= 1 << (id % wordBits)
	}
	return out
}

// Without returns the set with ids taken away. Its length in words stays.
func (s Set) Without(ids ...ID) Set {
	out := slices.Clone(s)
	for _, id := range ids {
		if out.Has(id) {
			out[id/wordBits] &^= 1 << (id % wordBits)
		}
	}
	return out
}

// Union is everything in either set.
func (s Set) Union(other Set) Set {
	long, short := s, other
	if len(long) < len(short) {
		long, short = short, long
	}
	out := slices.Clone(long)
	for i, w := range short {
		out[i] |= w
	}
	return out
}

// In reports whether every capability of s is in other. As the network has it,
// a bit string with more words than the other's is not in it, even when the
// extra words are zero.
func (s Set) In(other Set) bool {
	if len(s) > len(other) {
		return false
	}
	for i, w := range s {
		if w&^other[i] != 0 {
			return false
		}
	}
	return true
}

// Missing lists what s has and other lacks, in order, at most limit of them.
func (s Set) Missing(other Set, limit int) []ID {
	var out []ID
	for i, w := range s {
		if i < len(other) {
			w &^= other[i]
		}
		for ; w != 0 && len(out) < limit; w &= w - 1 {
			out = append(out, ID(i*wordBits+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// IDs lists the set in order.
func (s Set) IDs() []ID { return s.Missing(nil, s.Len()) }

// Len counts the capabilities in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
