package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
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
	// OursFirst and TheirsFirst are the same for the first segment of each stream
	// alone, which is mostly the start of the processes.
	OursFirst   effort `json:"oursFirst"`
	TheirsFirst effort `json:"theirsFirst"`
	// Ratio is our wall time by theirs, ProcessorRatio the same of CPU time:
	// below 1 we are faster, or cheaper. Ratios are those of all pairs, in ascending
	// order.
	Ratio          float64   `json:"ratio"`
	ProcessorRatio float64   `json:"processorRatio"`
	Ratios         []float64 `json:"ratios"`
	// SteadyRatio and SteadyProcessorRatio are the same without what the first segments
	// took, which says how both go on; 0 where there are no others. SteadyRatios are
	// those of all pairs.
	SteadyRatio          float64   `json:"steadyRatio"`
	SteadyProcessorRatio float64   `json:"steadyProcessorRatio"`
	SteadyRatios         []float64 `json:"steadyRatios"`
}

// effort is what the work took, in seconds: from the start of the first process to
// the end of the last, and of the CPU cores by all of them together.
type effort struct {
	Wall      float64 `json:"wallSeconds"`
	Processor float64 `json:"processorSeconds"`
}

// compare lets both do everything, in turns, as often as measurements are repeated.
// The pair with the median ratio counts.
func compare(
	ctx context.Context, s settings, pieces []piece, sessions int, ours func(settings, []piece) error,
) (*comparison, error) {
	dir, err := os.MkdirTemp("", "tutti_bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all := rival{s: s, sessions: sessions, noEncoder: withoutEncoder(ctx, s)}
	first := all
	if all.input, all.period, err = joined(filepath.Join(dir, "all.ts"), pieces); err != nil {
		return nil, err
	}
	if first.input, first.period, err = joined(filepath.Join(dir, "first.ts"), pieces[:1]); err != nil {
		return nil, err
	}
	s.live, s.delay, s.until, s.outPrefix = false, 0, 0, ""
	var rounds []comparison
	for range s.repeat {
		c := comparison{Program: s.against, Sessions: sessions}
		for _, half := range []struct {
			into *effort
			work func() error
		}{
			{&c.Ours, func() error { return ours(s, pieces) }},
			{&c.Theirs, func() error { return all.run(ctx) }},
			{&c.OursFirst, func() error { return ours(s, pieces[:1]) }},
			{&c.TheirsFirst, func() error { return first.run(ctx) }},
		} {
			if *half.into, err = spent(half.work); err != nil {
				return nil, err
			}
		}
		rounds = append(rounds, c.withRatios())
	}
	return median(rounds), nil
}

// withRatios works the ratios of a pair out.
func (c comparison) withRatios() comparison {
	c.Ratio = c.Ours.Wall / c.Theirs.Wall
	c.ProcessorRatio = c.Ours.Processor / c.Theirs.Processor
	ours, theirs := c.Ours.less(c.OursFirst), c.Theirs.less(c.TheirsFirst)
	if ours.Wall > 0 && theirs.Wall > 0 {
		c.SteadyRatio = ours.Wall / theirs.Wall
	}
	if ours.Processor > 0 && theirs.Processor > 0 {
		c.SteadyProcessorRatio = ours.Processor / theirs.Processor
	}
	return c
}

func (e effort) less(part effort) effort {
	return effort{Wall: e.Wall - part.Wall, Processor: e.Processor - part.Processor}
}

// median returns the pair with the median ratio, with the ratios of all. Those of the steady
// work have a median of their own.
func median(rounds []comparison) *comparison {
	slices.SortFunc(rounds, func(a, b comparison) int { return cmp.Compare(a.SteadyRatio, b.SteadyRatio) })
	steady := rounds[len(rounds)/2]
	var ratios, steadies []float64
	for _, c := range rounds {
		ratios, steadies = append(ratios, c.Ratio), append(steadies, c.SteadyRatio)
	}
	slices.SortFunc(rounds, func(a, b comparison) int { return cmp.Compare(a.Ratio, b.Ratio) })
	slices.Sort(ratios)
	m := rounds[len(rounds)/2]
	m.Ratios, m.SteadyRatios = ratios, steadies
	m.SteadyRatio, m.SteadyProcessorRatio = steady.SteadyRatio, steady.SteadyProcessorRatio
	return &m
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
