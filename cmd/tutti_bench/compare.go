package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"
)

// comparison is the same work done by us and by another program, both as fast as
// they can, on the same devices and with the same number of streams.
type comparison struct {
	Program  string `json:"program"`
	Sessions int    `json:"concurrentSessions"`
	Ours     effort `json:"ours"`
	Theirs   effort `json:"theirs"`
	// Ratio is our wall time by theirs, ProcessorRatio the same of processor time:
	// below 1 we are faster, or cheaper.
	Ratio          float64 `json:"ratio"`
	ProcessorRatio float64 `json:"processorRatio"`
}

// effort is what the work took, in seconds: from the start of the first process to
// the end of the last, and of the processors by all of them together.
type effort struct {
	Wall      float64 `json:"wallSeconds"`
	Processor float64 `json:"processorSeconds"`
}

// compare lets both do everything, in turns, as often as measurements are repeated.
// The pair with the median ratio counts.
func compare(ctx context.Context, s settings, pieces []piece, sessions int, ours func(settings) error) (*comparison, error) {
	dir, err := os.MkdirTemp("", "tutti_bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := rival{s: s, sessions: sessions}
	if r.input, r.period, err = joined(dir, pieces); err != nil {
		return nil, err
	}
	s.live, s.delay, s.outPrefix = false, 0, ""
	var rounds []comparison
	for range s.repeat {
		c := comparison{Program: s.against, Sessions: sessions}
		if c.Ours, err = spent(func() error { return ours(s) }); err != nil {
			return nil, err
		}
		if c.Theirs, err = spent(func() error { return r.run(ctx) }); err != nil {
			return nil, err
		}
		c.Ratio = c.Ours.Wall / c.Theirs.Wall
		c.ProcessorRatio = c.Ours.Processor / c.Theirs.Processor
		rounds = append(rounds, c)
	}
	slices.SortFunc(rounds, func(a, b comparison) int { return cmp.Compare(a.Ratio, b.Ratio) })
	return &rounds[len(rounds)/2], nil
}

// spent measures work whose processes have all ended with it.
func spent(work func() error) (effort, error) {
	before, err := processorTime()
	if err != nil {
		return effort{}, err
	}
	begin := time.Now()
	if err := work(); err != nil {
		return effort{}, err
	}
	wall := time.Since(begin)
	after, err := processorTime()
	return effort{Wall: wall.Seconds(), Processor: (after - before).Seconds()}, err
}
