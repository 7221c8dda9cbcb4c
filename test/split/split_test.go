package split

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/netlab"
)

// TestWorkersComeAndGo fails three transcoders at once: while three streams and two chats
// run and are paid, one transcoder is killed, one is cut off the network, one is
// drained. Clients do not notice.
func TestWorkersComeAndGo(t *testing.T) {
	w := newWorld(t, netlab.Link{Delay: 10 * time.Millisecond})
	tr := w.traffic()
	w.flows(tr, 3)

	t.Log("rig1 is killed")
	w.rigs[0].kill()
	w.flows(tr, 3)
	w.rigs[0].start()
	w.registered(w.rigs[0])

	t.Log("rig2 is cut off")
	w.lab.Isolate(w.rigs[1].host, true)
	w.gone("rig2")
	w.flows(tr, 3)
	w.lab.Isolate(w.rigs[1].host, false)
	w.registered(w.rigs[1])

	t.Log("rig1 is drained")
	w.orchestrator.cli("worker", "drain", "rig1")
	w.orchestrator.proc.Wait("rig1 to be empty", 30*time.Second, func() bool {
		one := w.orchestrator.worker("rig1")
		return one != nil && one.State == "draining" && one.Segments == 0
	})
	before := w.orchestrator.worker("rig1").Done
	w.flows(tr, 3)
	if after := w.orchestrator.worker("rig1").Done; after != before {
		t.Errorf("rig1 is drained and did %d segments", after-before)
	}
	w.orchestrator.cli("worker", "resume", "rig1")
	w.flows(tr, 1)
	tr.end()
	// Without the only worker of its model no chat is served: there is none under way.
	w.orchestrator.cli("worker", "drain", "rig3")
	if one := w.orchestrator.worker("rig3"); one == nil || one.State != "draining" {
		t.Errorf("the AI worker, drained: %+v", one)
	}
	w.orchestrator.cli("worker", "resume", "rig3")

	for _, f := range tr.failures {
		t.Error(f)
	}
	t.Logf("%d segments, %d lost, slowest %v; %d answers of %d tokens, %d broken with %d tokens missing",
		tr.segments.Load(), tr.lost.Load(), tr.slowest, tr.answers.Load(), tr.tokens.Load(), tr.broken.Load(),
		tr.missing.Load())
	w.paid()
	t.Log("\n" + w.orchestrator.cli("workers"))
}

// flows waits until so many further segments of every stream, and an answer, were
// served.
func (w *world) flows(tr *traffic, n int64) {
	w.Helper()
	segments, answers := tr.segments.Load(), tr.answers.Load()
	w.gateway.proc.Wait("jobs that are served", 60*time.Second, func() bool {
		return tr.segments.Load() >= segments+n*streams && tr.answers.Load() > answers
	})
}

// gone waits until the orchestrator knows that a worker is not there.
func (w *world) gone(name string) {
	w.Helper()
	start := time.Now()
	w.orchestrator.proc.Wait(name+" to be missed", 30*time.Second, func() bool {
		one := w.orchestrator.worker(name)
		return one == nil || one.State != "ready"
	})
	w.Logf("%s is missed after %v", name, time.Since(start).Round(100*time.Millisecond))
}

// paid holds the orchestrator's books: every worker earned, by its name.
func (w *world) paid() {
	w.Helper()
	var shares adminapi.WorkerShares
	w.must(w.orchestrator.get(adminapi.PathIncomeWorkers, &shares))
	var names []string
	for _, s := range shares.Workers {
		names = append(names, s.Worker)
	}
	for _, m := range w.workers() {
		if !strings.Contains(strings.Join(names, "\n"), m.name) {
			w.Errorf("%s is not among those that earned: %q", m.name, names)
		}
	}
	var income adminapi.IncomeOverview
	w.must(w.orchestrator.get(adminapi.PathIncomeOverview, &income))
	if income.Total.Jobs == 0 || income.Total.Tickets == 0 {
		w.Errorf("nothing was paid: %+v", income.Total)
	}
	w.Logf("%d jobs paid with %d tickets; workers: %q", income.Total.Jobs, income.Total.Tickets, names)
}
