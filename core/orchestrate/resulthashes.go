package orchestrate

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// smallData is the size below which hashing costs less than a goroutine does.
const smallData = 16 << 10

// hashes returns the renditions', in order. They are hashed side by side, because the
// gateway waits for it and megabytes take milliseconds.
func hashes(a signature.Algorithm, renditions []core.Rendition) [][signature.HashSize]byte {
	out := make([][signature.HashSize]byte, len(renditions))
	var wg sync.WaitGroup
	for i := range renditions {
		data := renditions[i].Data
		if len(data) < smallData || i == len(renditions)-1 {
			out[i] = a.Sum(data)
			continue
		}
		wg.Go(func() { out[i] = a.Sum(data) })
	}
	wg.Wait()
	return out
}
