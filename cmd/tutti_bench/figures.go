package main

import (
	"math"
	"slices"
	"time"
)

// figures are what a measurement showed.
type figures struct {
	Sessions int `json:"concurrentSessions"`
	Segments int `json:"segments"`
	// RealTime counts segments that took no longer than they play.
	RealTime     int     `json:"realTimeSegments"`
	SegmentRatio float64 `json:"realTimeSegmentsRatio"`
	// Source and Transcoding are sums over all segments, in seconds.
	Source      float64 `json:"sourceSeconds"`
	Transcoding float64 `json:"transcodingSeconds"`
	// DurationRatio is Transcoding by Source: below 1 is faster than real time.
	DurationRatio float64 `json:"realTimeDurationRatio"`
	// P50, P95 and P99 are percentiles of a segment's transcoding, in seconds.
	P50 float64 `json:"p50Seconds"`
	P95 float64 `json:"p95Seconds"`
	P99 float64 `json:"p99Seconds"`
	// Slowest is the longest that a segment took, First the mean of the first segments
	// of the streams and Later that of all others, 0 without any, in seconds.
	Slowest float64 `json:"slowestSeconds"`
	First   float64 `json:"firstSegmentSeconds"`
	Later   float64 `json:"laterSegmentSeconds"`
	// CPU is the CPU time of all our processes, the media workers' start
	// included, in seconds.
	Processor float64 `json:"processorSeconds"`
	// Wall is how long the measurement took, in seconds.
	Wall float64 `json:"wallSeconds"`
	// Memory is the most that the media workers used, in bytes; 0 in process.
	Memory int64 `json:"peakWorkerBytes"`
	// GPUs are what the GPUs did, where that can be seen.
	GPUs []gpuFigures `json:"gpus,omitempty"`
	// Failure is why the measurement ended early, when it looked for the limit.
	Failure string `json:"failure,omitempty"`
}

func summarize(sessions int, samples []sample, wall time.Duration, memory int64) figures {
	f := figures{Sessions: sessions, Segments: len(samples), Wall: wall.Seconds(), Memory: memory}
	var took []time.Duration
	var first, later mean
	for _, s := range samples {
		f.Source += s.source.Seconds()
		f.Transcoding += s.took.Seconds()
		if s.took <= s.source {
			f.RealTime++
		}
		took = append(took, s.took)
		if s.first {
			first.add(s.took)
		} else {
			later.add(s.took)
		}
	}
	f.First, f.Later = first.seconds(), later.seconds()
	if len(samples) == 0 {
		return f
	}
	f.SegmentRatio = float64(f.RealTime) / float64(f.Segments)
	if f.Source > 0 {
		f.DurationRatio = f.Transcoding / f.Source
	}
	slices.Sort(took)
	f.P50, f.P95, f.P99 = percentile(took, 50), percentile(took, 95), percentile(took, 99)
	f.Slowest = took[len(took)-1].Seconds()
	return f
}

// mean is the mean of durations, 0 of none.
type mean struct {
	sum time.Duration
	n   int
}

func (m *mean) add(d time.Duration) {
	m.sum += d
	m.n++
}

func (m mean) seconds() float64 { return m.sum.Seconds() / float64(max(m.n, 1)) }

// percentile returns the smallest value that at least p of a hundred do not exceed,
// in seconds. sorted is not empty.
func percentile(sorted []time.Duration, p float64) float64 {
	i := int(math.Ceil(p/100*float64(len(sorted)))) - 1
	return sorted[max(0, i)].Seconds()
}
