package process

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// garbageBytes is how much garbage may gather between two collections at least. A
	// node's own heap is a few megabytes: collecting whenever it has doubled would
	// take a tenth of the time of a busy gateway.
	garbageBytes = 24 << 20
	// usual is the runtime's own setting in percent, most what a tiny heap is given.
	usual, most = 100, 800
	// restEvery is how often a quiet node is looked at, and restAfter how many looks
	// without a collection make it one: then its garbage goes back to the system.
	restEvery, restAfter = 2 * time.Second, 2
	// restBytes is the garbage that is worth it.
	restBytes = 8 << 20
)

// Headroom keeps the collector from working all the time on a small heap, leaves
// a large one alone, and gives back what a burst has left. An operator's GOGC or
// GOMEMLIMIT goes before it.
type Headroom struct {
	// Most is how many bytes the process should not exceed: near that, garbage is collected
	// earlier. 0 is no limit.
	Most int64

	mu      sync.Mutex
	set     int  // guarded by mu
	stopped bool // guarded by mu
}

// Name returns the component's name.
func (*Headroom) Name() string { return "heap" }

// Run looks after the heap until ctx ends.
func (h *Headroom) Run(ctx context.Context, ready func()) error {
	ready()
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		<-ctx.Done()
		return nil
	}
	if h.Most > 0 {
		// Without it garbage may take as much as what is in use, and the system ends the process.
		debug.SetMemoryLimit(h.Most)
		defer debug.SetMemoryLimit(math.MaxInt64)
	}
	h.adjust()
	defer h.stop()
	tick := time.NewTicker(restEvery)
	defer tick.Stop()
	before, quiet := readHeap(), 0
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		now := readHeap()
		if quiet++; now.cycles != before.cycles {
			quiet = 0
		}
		before = now
		if quiet >= restAfter && now.objects+now.free > now.live+restBytes {
			debug.FreeOSMemory()
			quiet = 0
		}
	}
}

// adjust sets the collector for the heap as it is, and again after each
// collection: a heap that grows fast must not wait for a clock.
func (h *Headroom) adjust() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	heap := readHeap()
	if want := collectAt(heap.live + heap.stacks); want != h.set {
		debug.SetGCPercent(want)
		h.set = want
	}
	runtime.AddCleanup(&canary{}, (*Headroom).adjust, h)
}

func (h *Headroom) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	debug.SetGCPercent(usual)
}

// canary is garbage from the start: its end is a collection's. It is not empty,
// so that it has a place of its own in memory.
type canary struct{ _ [16]*byte }

// heap is the state of the memory that is collected, in bytes; free is what the
// system could have back.
type heap struct{ live, objects, free, stacks, cycles uint64 }

func readHeap() heap {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	return heap{s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64(), s[3].Value.Uint64(), s[4].Value.Uint64()}
}

// collectAt returns the growth in percent, in steps, at which live bytes are collected.
func collectAt(live uint64) int {
	percent := uint64(most)
	if live > 0 {
		percent = garbageBytes * 100 / live
	}
	return int(min(most, max(usual, percent/50*50)))
}
