package harness

import (
	"runtime"
	"sync"
	"time"
)

// Slowness returns how many times as long as on idle cores of a server of 2020 a computation on
// all cores takes here and now, 1 at the least. Tests of streams in real time have the stream
// play as much slower, and allow as much more for what they bound in time: what they show is
// what the node does, not how fast the machine is that it shares with other tests.
func Slowness() float64 {
	// steps take reference on one of those cores.
	const steps, reference = 40_000_000, 80 * time.Millisecond
	begun := time.Now()
	var all sync.WaitGroup
	for i := range runtime.NumCPU() {
		all.Go(func() {
			x := uint64(i) + 1
			for range steps {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
			}
			if x == 0 {
				panic("xorshift came to 0")
			}
		})
	}
	all.Wait()
	return max(1, float64(time.Since(begun))/float64(reference))
}

// Stretch returns a duration times Slowness.
func Stretch(d time.Duration) time.Duration { return time.Duration(float64(d) * Slowness()) }
