package keccak

// Size is the length of a hash in bytes.
const Size = 32

// Sum returns the hash of the parts, one after another.
func Sum(parts ...[]byte) [Size]byte {
	h := New()
	for _, p := range parts {
		h.Write(p)
	}
	var out [Size]byte
	h.Sum(out[:0])
	return out
}
