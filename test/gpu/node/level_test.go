package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/procfs"
)

// level is what the node, its media worker and the GPU hold at a time. Memory is in
// MiB.
type level struct {
	node, worker, card             float64
	goroutines, files, workerFiles float64
}

// level samples them; false while the worker is being replaced.
func (r *rig) level() (level, bool) {
	text, err := r.page("/metrics")
	workers := mediaWorkers(r.pid)
	if err != nil || len(workers) != 1 {
		return level{}, false
	}
	goroutines, _ := metric(text, "go_goroutines")
	used, _ := metric(text, "tutti_gpu_memory_used_bytes")
	foreign, _ := metric(text, "tutti_gpu_memory_foreign_bytes")
	const mib = 1 << 20
	return level{
		node: float64(procfs.Resident(r.pid)) / mib, worker: float64(procfs.Resident(workers[0])) / mib,
		card:       (used - foreign) / mib,
		goroutines: goroutines, files: float64(openFiles(r.pid)), workerFiles: float64(openFiles(workers[0])),
	}, true
}

// figures are what must stay level under load, and how much growth is noise compared with a
// share of the level.
var figures = []struct {
	name, unit string
	of         func(level) float64
	more       float64
}{
	{"memory of the node", "MiB", func(l level) float64 { return l.node }, 24},
	{"memory of the media worker", "MiB", func(l level) float64 { return l.worker }, 48},
	{"memory of the GPU", "MiB", func(l level) float64 { return l.card }, 128},
	{"goroutines of the node", "goroutines", func(l level) float64 { return l.goroutines }, 30},
	{"open files of the node", "files", func(l level) float64 { return l.files }, 15},
	{"open files of the media worker", "files", func(l level) float64 { return l.workerFiles }, 10},
}

// share is how much a level may rise.
const share = 1.15

// levels compares the samples of a load's first half with its last ones.
func levels(t *testing.T, all []level, lasted time.Duration) {
	t.Helper()
	if len(all) < 8 {
		card.CheckThat(t, false, "levels under load", "at least 8 samples", fmt.Sprintf("%d samples", len(all)), "")
		return
	}
	for _, f := range figures {
		before, after, ok := rises(all, f.of, f.more)
		seen, figure := fmt.Sprintf("%.0f in the first half of %v, %.0f at the end", before, lasted.Round(time.Second),
			after), fmt.Sprintf("%.0f %s", after, f.unit)
		if before == 0 && after == 0 {
			card.SkipCheck(t, f.name+" under load", "the system does not show it to this user")
			continue
		}
		if lasted < settles {
			card.RecordCheck(t, f.name+" under load", seen, figure)
			continue
		}
		card.CheckThat(t, ok, f.name+" under load",
			fmt.Sprintf("at most %.2f times what it was in the first half, and %.0f more", share, f.more), seen, figure)
	}
}

// rises are the levels before and at the end, and whether the second is no higher than
// the first but for noise. The first is the upper one of the first half, without its
// beginning: a node that has little to do for a moment gives memory back.
func rises(all []level, of func(level) float64, more float64) (before, after float64, level bool) {
	half, eighth := len(all)/2, max(1, len(all)/8)
	before, after = quantile(all[eighth:half], of, 0.9), quantile(all[len(all)-eighth:], of, 0.5)
	return before, after, after <= before*share+more
}

func quantile(all []level, of func(level) float64, q float64) float64 {
	values := make([]float64, len(all))
	for i, l := range all {
		values[i] = of(l)
	}
	slices.Sort(values)
	return values[int(q*float64(len(values)))]
}

// TestRisesAreFound: what grows all the time is found, what grows at first and what
// goes up and down is not.
func TestRisesAreFound(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		at   func(i int) float64
		want bool
	}{
		"level":    {func(int) float64 { return 100 }, true},
		"noise":    {func(i int) float64 { return float64(100 + i%9) }, true},
		"warms up": {func(i int) float64 { return float64(100 + 10*min(i, 20)) }, true},
		"leaks":    {func(i int) float64 { return float64(100 + 2*i) }, false},
		"rests":    {func(i int) float64 { return float64(110 - 50*(i/20%2)) }, true},
		"one peak": {func(i int) float64 { return float64(100 + i/99*1000) }, true},
	} {
		all := make([]level, 100)
		for i := range all {
			all[i].node = row.at(i)
		}
		if _, _, got := rises(all, func(l level) float64 { return l.node }, 24); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
