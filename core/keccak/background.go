package keccak

import "hash"

// Background hashes on a goroutine of its own what another one reads, so that a
// segment's hash is ready soon after its last byte.
type Background struct {
	hash  hash.Hash
	parts chan []byte
	done  chan struct{}
}

// aheadParts is how many parts may wait to be hashed.
const aheadParts = 64

// StartBackground starts the goroutine; Sum ends it and must be called.
func StartBackground() *Background {
	b := &Background{hash: New(), parts: make(chan []byte, aheadParts), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		for p := range b.parts {
			b.hash.Write(p)
		}
	}()
	return b
}

// Add takes bytes that do not change any more. It waits when hashing is far behind.
func (b *Background) Add(p []byte) { b.parts <- p }

// Sum ends the goroutine and returns the hash of everything added. It is called
// once.
func (b *Background) Sum() (out [Size]byte) {
	close(b.parts)
	<-b.done
	b.hash.Sum(out[:0])
	return out
}
