package main

import (
	"slices"
	"time"
)

// limit is how long a part may take on a GPU: a machine with one is often lent for
// ten minutes at a time.
const limit = 8 * time.Minute

// part is one that can be asked for by name.
type part struct {
	name, title string
	programs    []program
}

// program is a compiled test program: its package's folder, and what of it runs.
type program struct {
	folder string
	run    string
	skip   string
	// loads says that the driver becomes part of it: it sees the one GPU alone, and
	// what it asks of the driver is counted.
	loads bool
	// share is how much of the part's time it may take at most, 0 for what is left.
	share time.Duration
}

// cardTests are the tests that run on any GPU. Those whose names only begin alike script
// the simulated driver.
const cardTests = "^TestCard[A-Z]"

var parts = []part{
	{"inventory", "What the machine has, and what the node finds of it.", []program{
		{folder: "transcoder/nvml", run: cardTests, share: time.Minute},
		{folder: "test/gpu/inventory", run: cardTests, share: 2 * time.Minute},
		{folder: "test/gpu/cuda", run: cardTests, share: time.Minute},
		{folder: "test/gpu/probe", run: cardTests},
	}},
	{"correct", "Frames, times and sound of the GPU's work compared with the CPU's.", []program{
		{folder: "transcoder/libav", run: cardTests, loads: true},
	}},
	{"walls", "What the media worker may do with the driver inside, and what it may not.", []program{
		{folder: "transcoder/worker", run: cardTests},
	}},
	{"node", "The whole node under a gateway's streams, with faults.", []program{
		{folder: "test/gpu/node", run: cardTests, skip: "^TestCardLoad$"},
	}},
	{"speed", "Segments per second compared with ffmpeg with the same filters.", []program{
		{folder: "test/gpu/speed", run: cardTests},
	}},
	{"load", "The node under a load that never stays the same: memory, files and goroutines stay level.", []program{
		{folder: "test/gpu/node", run: "^TestCardLoad$"},
	}},
}

// names are the parts in their order.
func names() []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.name)
	}
	return out
}

// packages are the folders whose tests the kit carries.
func packages() []string {
	var out []string
	for _, p := range parts {
		for _, program := range p.programs {
			if !slices.Contains(out, program.folder) {
				out = append(out, program.folder)
			}
		}
	}
	return out
}
