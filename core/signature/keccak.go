package signature

// HashSize is the length of a hash in bytes.
const HashSize = 32

// Keccak256 returns the hash of the parts, one after another.
func Keccak256(parts ...[]byte) [HashSize]byte {
	h := NewKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	var out [HashSize]byte
	h.Sum(out[:0])
	return out
}
