package split

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/netlab"
)

const (
	fifty = 50
	// each is what a worker's processes take of memory, in MB, generously; spare is left
	// to others.
	each  = 100
	spare = 2000
	// settled is after how long a registration counts as a good one.
	settled = 6 * time.Second
)

// TestFiftyWorkersComeBack kills the orchestrator of fifty workers, each a process of
// its own, and starts it again: all are back within five seconds, and none asked in a
// hurry meanwhile.
func TestFiftyWorkersComeBack(t *testing.T) {
	count := min(fifty, (availableMB(t)-spare)/each)
	if count < 5 {
		t.Skip("SKIPPED: there is no memory for five workers")
	}
	w := newUnpaid(t, 0, netlab.Link{})
	c := &workerSet{w: w, host: w.lab.Host("farm")}
	w.lab.Link(w.orchestrator.host, c.host, netlab.Link{Delay: 5 * time.Millisecond})
	for range count {
		c.add()
	}
	o := w.orchestrator
	o.proc.Wait("all to register", 90*time.Second, func() bool { return w.ready() == count })
	registered := time.Now()
	o.proc.Wait("their registrations to count as good ones", 2*settled,
		func() bool { return time.Since(registered) > settled })

	before := c.attempts()
	o.kill()
	down := time.Now()
	c.procs[0].Wait("every worker to have tried in vain", 30*time.Second,
		func() bool { return c.attempts() >= before+2*count })
	o.start()
	meanwhile, back := c.attempts(), time.Now()
	o.proc.Wait("all to come back", 30*time.Second, func() bool { return w.ready() == count })
	took, after := time.Since(back), c.attempts()-meanwhile
	t.Logf("%d worker processes: away for %v with %d attempts, back %v after the orchestrator with %d", count,
		back.Sub(down).Round(time.Millisecond), meanwhile-before, took.Round(time.Millisecond), after)
	if took > 5*time.Second {
		t.Errorf("all were back after %v", took)
	}
	// Pauses are a quarter of a second at least, and grow.
	if most := count * (3 + int(back.Sub(down)/(500*time.Millisecond))); meanwhile-before > most {
		t.Errorf("%d attempts while it was away, at most %d were expected", meanwhile-before, most)
	}
	if after > 2*count {
		t.Errorf("%d attempts of %d workers after it was back", after, count)
	}
}

// ready is how many remote workers the orchestrator would give work.
func (w *world) ready() (n int) {
	var all adminapi.Workers
	if w.orchestrator.get(adminapi.PathWorkers, &all) != nil {
		return 0
	}
	for _, one := range all.Workers {
		if one.Remote && one.State == "ready" {
			n++
		}
	}
	return n
}

// availableMB is the memory that can be had, in megabytes.
func availableMB(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return kb / 1024
		}
	}
	t.Fatal("/proc/meminfo does not say")
	return 0
}
