package signature

// Size is the length of a hash in bytes.
const Size = 32

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
