package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

const liveSecret = "hunter2-hunter2"

// workedOrchestrator starts an orchestrator that has no live video of its own.
func workedOrchestrator(t *testing.T) (node *harness.Process, addr string) {
	t.Helper()
	addr = harness.Address(t)
	node = harness.Start(t, binary, "-orchestrator", "-orchSecret", liveSecret, "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir())
	node.WaitHTTP("https://" + addr + "/healthz")
	return node, addr
}

// liveWorker starts an AI worker for an orchestrator elsewhere.
func liveWorker(t *testing.T, addr string, args ...string) *harness.Process {
	t.Helper()
	return harness.Start(t, binary, append([]string{"-aiWorker", "-orchSecret", liveSecret, "-orchAddr", addr, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir()}, args...)...)
}

// runnerWorker starts one that has a runner by url.
func runnerWorker(t *testing.T, addr string, r *liveRunner) *harness.Process {
	t.Helper()
	return liveWorker(t, addr, "-aiModels", modelsFile(t, []entry{{
		"pipeline": "live-video-to-video", "model_id": "noop", "warm": true, "url": "http://" + r.addr, "capacity": 1,
	}}))
}

// slots waits until an orchestrator has so many slots of a model.
func slots(t *testing.T, node *harness.Process, addr, id string, n int) {
	t.Helper()
	node.Wait(fmt.Sprint(n, " slots of ", id), 30*time.Second, func() bool { return model(t, addr, id).Capacity == n })
}

// endsWithin expects the end of a session after something happens.
func endsWithin(t *testing.T, u liveURLs, limit time.Duration, happens func()) {
	t.Helper()
	waiting := read(t, u.Subscribe+"/1")
	at := time.Now()
	happens()
	if got := <-waiting; !ended(got) || time.Since(at) > limit {
		t.Errorf("after %s: %q", time.Since(at), got)
	}
}

// The sample pipeline of an AI worker on another machine serves its orchestrator as its own would.
func TestTheSampleOfLiveVideoOnAnAIWorker(t *testing.T) {
	t.Parallel()
	node, addr := workedOrchestrator(t)
	if status, text, _ := startVideo(t, addr, `{"model_id":"sample"}`); status == http.StatusOK {
		t.Error("without a worker:", status, text)
	}
	worker := liveWorker(t, addr, "-liveSampleSessions", "1")
	awaitModel(t, node, addr, "sample", "ready")
	u := useSample(t, node, addr)
	endsWithin(t, u, 4*time.Second, func() { worker.Signal(syscall.SIGKILL) })
}

// A runner of an AI worker serves the worker's orchestrator: its slot is counted, and is free once. What ends
// the runner or the worker ends the session at once, a worker that stands still is noticed, and the next
// session is another worker's.
func TestALiveVideoRunnerOnAnAIWorker(t *testing.T) {
	t.Parallel()
	node, addr := workedOrchestrator(t)
	one, two := startLiveRunner(t, "127.0.0.1:0"), startLiveRunner(t, "127.0.0.1:0")
	first := runnerWorker(t, addr, one)
	slots(t, node, addr, "noop", 1)
	u := one.session(node, addr)
	if status, text, _ := startVideo(t, addr, `{"model_id":"noop"}`); status != http.StatusServiceUnavailable ||
		text != "insufficient capacity\n" {
		t.Error("second session:", status, text)
	}
	endsWithin(t, u, 4*time.Second, func() { _, _ = send(t, "DELETE", u.Publish, "") })
	u = one.session(node, addr)
	endsWithin(t, u, 4*time.Second, func() {
		one.end()
		if status, text := send(t, "POST", u.Publish+"/1", "segment"); status != http.StatusOK {
			t.Error(status, text)
		}
	})
	second := runnerWorker(t, addr, two)
	slots(t, node, addr, "noop", 1)
	u = two.session(node, addr)
	// One that drains waits for its session.
	second.Signal(syscall.SIGTERM)
	node.Wait("the drain", 20*time.Second, func() bool { return model(t, addr, "noop").State != "ready" })
	if out := read(t, u.Subscribe+"/1"); true {
		if status, text := send(t, "POST", u.Publish+"/1", "more"); status != http.StatusOK {
			t.Error(status, text)
		}
		if got := <-out; got != "runner:more" {
			t.Errorf("a session of a worker that drains: %q", got)
		}
	}
	if status, text := send(t, "DELETE", u.Publish, ""); status != http.StatusOK {
		t.Error(status, text)
	}
	if code := second.Exit(40 * time.Second); code != 0 {
		t.Error("exit", code)
	}
	third := runnerWorker(t, addr, two)
	slots(t, node, addr, "noop", 1)
	u = two.session(node, addr)
	endsWithin(t, u, 20*time.Second, func() { third.Signal(syscall.SIGSTOP) })
	third.Signal(syscall.SIGCONT)
	slots(t, node, addr, "noop", 1)
	u = two.session(node, addr)
	endsWithin(t, u, 4*time.Second, func() { third.Signal(syscall.SIGKILL) })
	first.Signal(syscall.SIGKILL)
}

// A gateway's stream is placed on AI workers of its orchestrator. The worker is killed while it plays: the
// stream goes on at another one, and the viewer's connection stays.
func TestLiveVideoGoesOnAtAnotherAIWorker(t *testing.T) {
	t.Parallel()
	node, addr := workedOrchestrator(t)
	one, two := startLiveRunner(t, "127.0.0.1:0"), startLiveRunner(t, "127.0.0.1:0")
	one.prefix, two.prefix = "", ""
	first := runnerWorker(t, addr, one)
	slots(t, node, addr, "noop", 1)
	front := harness.Address(t)
	gateway := harness.StartIn(t, binary, []string{"LIVE_AI_MIN_SEG_DUR=200ms"}, "-gateway", "-orchAddr", addr,
		"-httpAddr", front, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-liveMediaAddr", harness.Address(t))
	gateway.WaitHTTP("http://" + front + "/healthz")
	base := "http://" + front + "/live/video-to-video/"
	livevideo.Publish(t, base+"cam/whip?pipeline=noop&streamId=s1")
	v := livevideo.Watch(t, base+"cam-out/whep")
	gateway.Wait("pictures", 30*time.Second, func() bool { return v.Count() > 20 })
	runnerWorker(t, addr, two)
	slots(t, node, addr, "noop", 2)
	first.Signal(syscall.SIGKILL)
	n := v.Count()
	gateway.Wait("pictures of the other worker", 30*time.Second, func() bool {
		return v.Count() > n+20 && two.busy.Load() == 1
	})
}

// An upgrade of an AI worker ends its sessions, as one of an orchestrator does; the next ones begin in the new process.
func TestAnUpgradeOfAnAIWorkerMovesItsLiveVideo(t *testing.T) {
	t.Parallel()
	node, addr := workedOrchestrator(t)
	r := startLiveRunner(t, "127.0.0.1:0")
	worker := runnerWorker(t, addr, r)
	slots(t, node, addr, "noop", 1)
	u := r.session(node, addr)
	waiting := read(t, u.Subscribe+"/1")
	upgradeLive(t, worker)
	if got := <-waiting; !ended(got) {
		t.Errorf("%q", got)
	}
	awaitEnd(t, worker)
	r.session(node, addr)
}

// An upgrade of an orchestrator does not wait for the live video of its AI workers, which serve the new process next.
func TestAnUpgradeOfAnOrchestratorEndsLiveVideoOfItsWorkers(t *testing.T) {
	t.Parallel()
	node, addr := workedOrchestrator(t)
	r := startLiveRunner(t, "127.0.0.1:0")
	worker := runnerWorker(t, addr, r)
	slots(t, node, addr, "noop", 1)
	r.session(node, addr)
	upgradeLive(t, node)
	worker.Wait("the worker at the new process", 20*time.Second, func() bool {
		return strings.Count(worker.Log(), "registered with the orchestrator") == 2
	})
	r.session(worker, addr)
	awaitEnd(t, node)
}
