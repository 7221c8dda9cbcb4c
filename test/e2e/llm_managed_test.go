package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/llama"
)

// managed is a model in a container of the fake runner, with settings of its own.
func managed(e *engine.Engine, t *testing.T, model string, flags map[string]string) entry {
	return entry{"pipeline": "llm", "model_id": model, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000,
		"image": e.RunnerImage(t), "optimization_flags": flags}
}

// container finds the process of a model's container on the machine.
func container(t *testing.T, e *engine.Engine, owner, model string) (id string, pid int) {
	t.Helper()
	list, err := e.API.ContainerList(t.Context(), client.ContainerListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Items {
		if !strings.Contains(c.Labels["creator_id"], owner) {
			continue
		}
		one, err := e.API.ContainerInspect(t.Context(), c.ID, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range one.Container.Config.Env {
			if env == "MODEL_ID="+model {
				return c.ID, processOf(t, c.ID)
			}
		}
	}
	return "", 0
}

// processOf finds a container's process by its cgroup. The engine's own number for
// it may be of another PID namespace, where here some other process has it.
func processOf(t *testing.T, id string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil {
			t.Fatal(err)
		}
		if runs(pid, id) {
			return pid
		}
	}
	t.Fatalf("container %s has no process here", id)
	return 0
}

// runs reports whether a process is one of a container's.
func runs(pid int, id string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	return err == nil && strings.Contains(string(text), id)
}

// lookOut watches a model from now to the test's end. What it returns reports
// whether the model was ever seen not ready: it is away for less than a second, and
// a request that waits for it may take longer.
func lookOut(t *testing.T, orchestrator, id string) func() bool {
	var away atomic.Bool
	tick := time.NewTicker(10 * time.Millisecond)
	t.Cleanup(tick.Stop)
	go func() {
		for !away.Load() {
			select {
			case <-t.Context().Done():
				return
			case <-tick.C:
			}
			if m, err := lookAt(orchestrator, id); err == nil && m.State != "ready" {
				away.Store(true)
			}
		}
	}()
	return away.Load
}

// TestModelsTouchOnlyThemselves hurts each of three models in turn, two in
// containers and one behind a url, while clients use all of them: the others must
// not notice, and the hurt one must come back by itself.
func TestModelsTouchOnlyThemselves(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	server := llamaServer(t, llama.Options{})
	const one, two = "test/one", "test/two"
	orch := harness.Address(t)
	node := startAI(t, orch, []string{"DOCKER_HOST=" + e.Host}, []entry{
		managed(e, t, one, map[string]string{"FAKE_WORDS": "20"}),
		managed(e, t, two, map[string]string{"FAKE_WORDS": "20"}),
		llmEntry(llama.ModelID, server.URL),
	}, "-aiRunnerContainersPerGPU", "2")
	all := []string{one, two, llama.ModelID}
	for _, id := range all {
		awaitModel(t, node, orch, id, "ready")
	}
	_, gw := gateway(t, orch)

	hurt := func(name, victim string, harm func()) {
		t.Run(name, func(t *testing.T) {
			others := watch(t, gw, except(all, victim))
			withdrawn := lookOut(t, orch, victim)
			harm()
			node.Wait(victim+" to be withdrawn", 30*time.Second, withdrawn)
			if m := model(t, orch, victim); m.State != "ready" && m.State != "starting" && m.State != "loading" && m.Code == "" {
				t.Errorf("no reason: %+v", m)
			}
			awaitModel(t, node, orch, victim, "ready")
			// The gateway may have learned a moment ago that no orchestrator has it.
			node.Wait("the gateway to find "+victim, 30*time.Second, func() bool {
				a, err := ask(t.Context(), gw+"/llm", "", chatRequest(victim, 3, false))
				return err == nil && a.Status == http.StatusOK
			})
			if err := others(); err != nil {
				t.Errorf("others noticed: %v", err)
			}
			for _, id := range all {
				checkIdle(t, node, orch, id)
			}
		})
	}
	hurt("killed", one, func() {
		_, pid := container(t, e, orch, one)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	hurt("starved of memory", two, func() {
		id, pid := container(t, e, orch, two)
		if err := unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: 1, Max: 1}, nil); err != nil {
			t.Error(err)
		}
		// Work, so that it needs some. It may be back, as another process, by the time
		// that an answer comes.
		for range 50 {
			if !runs(pid, id) {
				return
			}
			_, _ = ask(t.Context(), gw+"/llm", "", chatRequest(two, 20, true))
		}
		// A process that copes without new memory is not starved enough.
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	hurt("stopped", one, func() {
		_, pid := container(t, e, orch, one)
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	})
	hurt("removed behind our back", two, func() {
		id, _ := container(t, e, orch, two)
		if _, err := e.API.ContainerRemove(t.Context(), id, client.ContainerRemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	})
	hurt("its server stopped", llama.ModelID, func() {
		_ = server.Signal(syscall.SIGSTOP)
		node.Wait("the server's model to be withdrawn", 60*time.Second,
			func() bool { return model(t, orch, llama.ModelID).State != "ready" })
		_ = server.Signal(syscall.SIGCONT)
	})
}

func except(all []string, one string) (out []string) {
	for _, id := range all {
		if id != one {
			out = append(out, id)
		}
	}
	return out
}

// watch uses models without pause until the returned function is called, which
// says what went wrong.
func watch(t *testing.T, gw string, models []string) func() error {
	ctx, stop := context.WithCancel(t.Context())
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		errs  []error
		asked int
	)
	for _, id := range models {
		for _, stream := range []bool{false, true} {
			wg.Go(func() {
				for ctx.Err() == nil {
					a, err := ask(context.WithoutCancel(ctx), gw+"/v1/chat/completions", "", chatRequest(id, 5, stream))
					if err == nil && (a.Status != http.StatusOK || a.Error != "" || a.Tokens != 5) {
						err = fmt.Errorf("%s: %+v", id, a)
					}
					mu.Lock()
					asked++
					if err != nil {
						errs = append(errs, err)
					}
					mu.Unlock()
				}
			})
		}
	}
	return func() error {
		stop()
		wg.Wait()
		if asked == 0 {
			return errors.New("nothing was asked")
		}
		return errors.Join(errs...)
	}
}

// TestFilledModel takes every slot and every place in the line of one model: the
// next request is refused in words that say so, and another model does not notice.
func TestFilledModel(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	server := llamaServer(t, llama.Options{})
	const full = "test/full"
	orch := harness.Address(t)
	node := startAI(t, orch, []string{"DOCKER_HOST=" + e.Host}, []entry{
		managed(e, t, full, map[string]string{"FAKE_WORDS": "100000", "FAKE_WORD_EVERY": "50ms", "MAX_NUM_SEQS": "2"}),
		llmEntry(llama.ModelID, server.URL),
	}, "-aiQueue", "0")
	awaitModel(t, node, orch, full, "ready")
	awaitModel(t, node, orch, llama.ModelID, "ready")
	capacity := model(t, orch, full).Capacity
	if capacity < 1 {
		t.Fatalf("capacity %d", capacity)
	}
	_, gw := gateway(t, orch, "-aiQueue", "0")
	others := watch(t, gw, []string{llama.ModelID})
	ctx, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	began := make(chan struct{}, capacity)
	for range capacity {
		wg.Go(func() {
			res, err := post(ctx, gw+"/v1/chat/completions", "", chatRequest(full, 100000, true))
			if err != nil {
				t.Error(err)
				began <- struct{}{}
				return
			}
			defer res.Body.Close()
			buf := make([]byte, 1)
			_, _ = res.Body.Read(buf)
			began <- struct{}{}
			for {
				if _, err := res.Body.Read(buf); err != nil {
					return
				}
			}
		})
	}
	for range capacity {
		<-began
	}
	a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(full, 5, false))
	if err != nil || a.Status != http.StatusServiceUnavailable && a.Status != http.StatusTooManyRequests ||
		a.Error == "" ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("one request too many: %v, %+v", err, a)
	}
	if err := others(); err != nil {
		t.Errorf("the other model noticed: %v", err)
	}
	leave()
	wg.Wait()
	checkIdle(t, node, orch, full)
	// The gateway has its own queue; it is notified of clients that leave.
	node.Wait("the gateway to take requests again", 20*time.Second, func() bool {
		a, err := ask(t.Context(), gw+"/llm", "", chatRequest(full, 2, false))
		return err == nil && a.Status == http.StatusOK
	})
}

// TestColdModel has many clients ask for a model that is not loaded: one
// container starts, and all of them are answered.
func TestColdModel(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	const cold = "test/cold"
	orch := harness.Address(t)
	lazy := managed(e, t, cold, map[string]string{"FAKE_LOAD": "500ms"})
	lazy["warm"] = false
	node := startAI(t, orch, []string{"DOCKER_HOST=" + e.Host}, []entry{lazy})
	if m := model(t, orch, cold); m.State != "absent" {
		t.Errorf("before the first request: %+v", m)
	}
	_, gw := gateway(t, orch)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			a, err := ask(t.Context(), gw+"/llm", "", chatRequest(cold, 3, false))
			if err != nil || a.Status != http.StatusOK {
				t.Errorf("%v, %+v", err, a)
			}
		})
	}
	wg.Wait()
	list, err := e.API.ContainerList(t.Context(), client.ContainerListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range list.Items {
		if strings.Contains(c.Labels["creator_id"], orch) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d containers for one cold model", n)
	}
	node.Signal(syscall.SIGTERM)
	if status := node.Exit(60 * time.Second); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if id, _ := container(t, e, orch, cold); id != "" {
		t.Errorf("container %s outlives its node", id)
	}
}
