package scale_test

import (
	"math"
	"testing"
	"time"
)

func near(int) time.Duration { return 0 }

// TestQueueAgainstTheory holds the simulation against what is known of queues: with one core and a book that takes
// no time it is M/M/1, whose times are exponential with mean 1/(µ-λ).
func TestQueueAgainstTheory(t *testing.T) {
	t.Parallel()
	p := &plant{orchestrators: 1, cores: 1, work: time.Millisecond, group: 256, away: near}
	for _, load := range []float64{0.3, 0.6} {
		got := p.run(1000*load, 80_000)
		mean := 1 / (1 - load) // ms
		for what, c := range map[string]struct {
			got  time.Duration
			want float64
		}{"p50": {got.p50, mean * math.Ln2}, "p99": {got.p99, mean * math.Log(100)}} {
			if ms := c.got.Seconds() * 1000; math.Abs(ms/c.want-1) > 0.12 {
				t.Errorf("load %.1f, %s: %.2f ms, want %.2f", load, what, ms, c.want)
			}
		}
		if math.Abs(got.cpu-load) > 0.02 {
			t.Errorf("load %.1f: %.3f of the core is used", load, got.cpu)
		}
	}
}

// TestGroupsCarryWhatSingleCommitsCannot: a commit of 10 ms would bear 100 entries a second; in groups it bears what
// the time for each entry leaves, and no more than a full group per commit.
func TestGroupsCarryWhatSingleCommitsCannot(t *testing.T) {
	t.Parallel()
	p := &plant{orchestrators: 1, cores: 8, work: time.Microsecond, fixed: 10 * time.Millisecond,
		each: 100 * time.Microsecond, away: near}
	for group, most := range map[int]float64{1: 1000 / 10.1, 16: 16 * 1000 / 11.6, 256: 256 * 1000 / 35.6} {
		p.group = group
		rate, at := p.bears(time.Minute, 0.8, 10_000)
		if rate > 0.82*most || rate < 0.78*most {
			t.Errorf("groups of %d: %.0f entries a second, want %.0f; %+v", group, rate, most, at)
		}
	}
}

// TestDistanceCostsItsRoundTrip: an entry alone waits for one round trip and one commit.
func TestDistanceCostsItsRoundTrip(t *testing.T) {
	t.Parallel()
	p := &plant{orchestrators: 2, cores: 8, work: time.Microsecond, group: 256, fixed: time.Millisecond,
		databaseCores: 4, away: func(int) time.Duration { return 80 * time.Millisecond }}
	if got := p.run(0.5, 2000); got.p50 < 81*time.Millisecond || got.p50 > 82*time.Millisecond {
		t.Errorf("%+v", got)
	}
}
