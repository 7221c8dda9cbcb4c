package signature

import "hash"

// BackgroundHash hashes on a goroutine of its own what another one reads, so that a
// segment's hash is ready soon after its last byte.
type BackgroundHash struct {
	algorithm Algorithm
	hash      hash.Hash
	parts     chan []byte
	done      chan struct{}
}

// aheadParts is how many parts may wait to be hashed.
const aheadParts = 64

// StartBackgroundHash starts the goroutine; Sum ends it and must be called.
func StartBackgroundHash(a Algorithm) *BackgroundHash {
	b := &BackgroundHash{algorithm: a, hash: a.New(), parts: make(chan []byte, aheadParts), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		for p := range b.parts {
			b.hash.Write(p)
		}
	}()
	return b
}

// Add takes bytes that do not change any more. It waits when hashing is far behind.
func (b *BackgroundHash) Add(p []byte) { b.parts <- p }

// Sum ends the goroutine and returns the hash of everything added. It is called
// once.
func (b *BackgroundHash) Sum() (out [HashSize]byte) {
	close(b.parts)
	<-b.done
	b.hash.Sum(out[:0])
	return out
}

// Digest is Sum with the algorithm.
func (b *BackgroundHash) Digest() Digest { return Digest{b.algorithm, b.Sum()} }
