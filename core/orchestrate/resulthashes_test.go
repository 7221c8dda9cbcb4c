package orchestrate

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// BenchmarkHashes hashes what a segment of 2 s comes to.
func BenchmarkHashes(b *testing.B) {
	var all []core.Rendition
	for _, n := range []int{1 << 20, 300 << 10, 150 << 10} {
		all = append(all, core.Rendition{Data: make([]byte, n)})
	}
	b.SetBytes(1<<20 + 450<<10)
	for b.Loop() {
		hashes(signature.Keccak, all)
	}
}
