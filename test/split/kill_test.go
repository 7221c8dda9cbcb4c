package split

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/netlab"
)

var (
	killRounds = flag.Int("split.rounds", 8, "rounds of TestKillAnyWorkerAnyTime")
	killSeed   = flag.Uint64("split.seed", 0, "its seed; 0 draws one")
)

// longestStop is how long a worker stands still at most: longer than a segment has
// time, and than a dead peer is waited for.
const longestStop = 5 * time.Second

// TestKillAnyWorkerAnyTime lets one of three workers end or stand still at any moment
// of streams that run in real time, again and again. No segment may fail: each has time
// for a second try.
func TestKillAnyWorkerAnyTime(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-split.seed=%d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	w := newUnpaid(t, 3, netlab.Link{Delay: 5 * time.Millisecond}).withGateway()
	tr := w.video()
	w.pushed(tr, streams)
	for n := range *killRounds {
		rig := w.rigs[dice.IntN(len(w.rigs))]
		w.pass(time.Duration(dice.Int64N(int64(time.Second))))
		if dice.IntN(2) == 0 {
			w.busy(rig)
		}
		what := w.hurt(rig, dice)
		w.registered(rig)
		t.Logf("round %d: %s %s; %d segments, %d failed, slowest %v", n+1, rig.name, what, tr.segments.Load(),
			tr.lost.Load(), tr.slowestSoFar())
	}
	w.pushed(tr, streams)
	tr.end()
	for _, f := range tr.failures {
		t.Error(f)
	}
}

// hurt ends a worker and starts it again, or lets it stand still for a while, and says
// which.
func (w *world) hurt(rig *machine, dice *rand.Rand) string {
	w.Helper()
	if dice.IntN(2) == 0 {
		rig.kill()
		w.pass(time.Duration(dice.Int64N(int64(time.Second))))
		rig.start()
		return "was killed"
	}
	still := time.Duration(dice.Int64N(int64(longestStop)))
	rig.proc.Signal(syscall.SIGSTOP)
	w.pass(still)
	rig.proc.Signal(syscall.SIGCONT)
	return fmt.Sprintf("stood still for %v", still.Round(time.Millisecond))
}

// busy waits until a worker has a segment in work, as it has at few moments. One that
// has no session is never busy.
func (w *world) busy(rig *machine) {
	w.Helper()
	begin := time.Now()
	w.orchestrator.proc.Wait(rig.name+" to be busy", 10*time.Second, func() bool {
		one := w.orchestrator.worker(rig.name)
		return one != nil && one.Segments > 0 || time.Since(begin) > 2*time.Second
	})
}

// pass lets time go by.
func (w *world) pass(d time.Duration) {
	w.Helper()
	begin := time.Now()
	w.gateway.proc.Wait("time to pass", d+10*time.Second, func() bool { return time.Since(begin) >= d })
}

// pushed waits until so many more segments were served.
func (w *world) pushed(tr *traffic, n int64) {
	w.Helper()
	before := tr.segments.Load()
	w.gateway.proc.Wait("segments that are served", 30*time.Second, func() bool { return tr.segments.Load() >= before+n })
}

func (tr *traffic) slowestSoFar() time.Duration {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.slowest.Round(time.Millisecond)
}
