package gateway

import (
	"hash"

	"github.com/tuttinode/tutti/core/signature"
)

// hasher hashes a segment beside its arrival: the hash costs more time than a
// fast network takes for the bytes.
type hasher struct {
	hash  hash.Hash
	parts chan []byte
	done  chan struct{}
}

// aheadParts is how many parts may wait to be hashed.
const aheadParts = 64

// startHasher starts the goroutine; sum must be called.
func startHasher() *hasher {
	h := &hasher{hash: signature.NewHash(), parts: make(chan []byte, aheadParts), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		for p := range h.parts {
			h.hash.Write(p)
		}
	}()
	return h
}

// add takes bytes that do not change any more.
func (h *hasher) add(p []byte) { h.parts <- p }

// sum ends the goroutine and returns the hash of everything added.
func (h *hasher) sum() (out [signature.Size]byte) {
	close(h.parts)
	<-h.done
	h.hash.Sum(out[:0])
	return out
}
