package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// roomBytes is how much garbage may gather between two collections at least. A
	// node's own heap is a few megabytes: collecting whenever it has doubled would
	// take a tenth of the time of a busy gateway.
	roomBytes = 24 << 20
	// roomEvery is how often the heap is looked at.
	roomEvery = 2 * time.Second
	// usual is the runtime's own setting, and most what a tiny heap is given.
	usual, most = 100, 800
)

// headroom keeps the collector from working all the time on a small heap, and
// leaves a large one alone. An operator's GOGC goes before it.
type headroom struct{}

// Name is the component's name.
func (headroom) Name() string { return "heap" }

// Run looks at the heap until ctx ends.
func (headroom) Run(ctx context.Context, ready func()) error {
	ready()
	if os.Getenv("GOGC") != "" {
		<-ctx.Done()
		return nil
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	set := usual
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	for {
		metrics.Read(live)
		if want := collectAt(live[0].Value.Uint64()); want != set {
			debug.SetGCPercent(want)
			set = want
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			debug.SetGCPercent(usual)
			return nil
		}
	}
}

// collectAt is the growth in percent, in steps, at which a heap of live bytes is
// collected.
func collectAt(live uint64) int {
	percent := uint64(most)
	if live > 0 {
		percent = roomBytes * 100 / live
	}
	return int(min(most, max(usual, percent/50*50)))
}
