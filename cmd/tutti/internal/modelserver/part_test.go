package modelserver

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// aiNode is a node with one warm model in a container, on a machine with this
// driver.
func aiNode(t *testing.T, gpus config.Devices, script ...string) (*nodeenv.Env, *fakegpu.Driver) {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(script...)
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	// Nothing answers there: a container gets as far as that.
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "docker.sock"))
	log := slog.New(slog.DiscardHandler)
	env := &nodeenv.Env{Config: modelsConfig(t, `[
 {"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "gpus": [1]},
 {"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": `+
		`true}]`), Log: log, Board: health.New(log, time.Now, nil)}
	env.Config.AI.ContainersPerGPU = 1
	env.Config.Transcoding.Devices = gpus
	return env, d
}

// missing is what the board says of GPUs.
func missing(env *nodeenv.Env) string {
	for _, c := range env.Board.Snapshot() {
		if slices.Contains(modelconfig.Problems(), c.Code) && c.About == "" {
			return c.Detail
		}
	}
	return ""
}

// TestTheDriverComesLate: what waits for GPUs goes on when they are there, and what
// the models file says of them counts from the start.
func TestTheDriverComesLate(t *testing.T) {
	for name, gpus := range map[string]config.Devices{"named": {IDs: []int{0, 1}}, "all": {All: true}} {
		t.Run(name, func(t *testing.T) {
			env, driver := aiNode(t, gpus, "nvml.init=18")
			work := New(t.Context(), env, media.New(env, nil))
			if work.Notice() != "" || len(work.Models.Entries) != 2 {
				t.Fatalf("%+v", work)
			}
			if missing(env) == "" {
				t.Error("the board does not say that GPUs are missing")
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- work.Manager.Run(ctx, func() {}) }()
			until(t, work.Manager.Models, fault.GPUDriverMismatch)
			driver.Script("devices=2", "device.memory=24564")
			// Now each of them fails for want of an engine.
			until(t, work.Manager.Models, fault.DockerMissing)
			if text := missing(env); text != "" {
				t.Errorf("the board still says %q", text)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// until waits for all models to have failed with a code.
func until(t *testing.T, look func() []inference.ModelState, code fault.Code) {
	t.Helper()
	deadline, tick := time.NewTimer(time.Minute), time.NewTicker(10*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		all := true
		for _, s := range look() {
			all = all && s.State == inference.Failed && s.Code == code
		}
		if all {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not all fail with %s: %+v", code, look())
		}
	}
}

// TestSomeGPUsAreMissing: the others are used, and the board names the missing.
func TestSomeGPUsAreMissing(t *testing.T) {
	env, _ := aiNode(t, config.Devices{IDs: []int{0, 1, 2}}, "devices=2", "device.memory=24564")
	work := New(t.Context(), env, media.New(env, nil))
	if len(work.Models.Entries) != 2 {
		t.Fatalf("%+v", work)
	}
	if text := missing(env); !strings.HasPrefix(text, "there is no GPU 2; the machine has 0 (") {
		t.Errorf("the board says %q", text)
	}
}

// A worker that was given no models sends an alert and does not only show it on its page; an
// orchestrator may have the models of others.
func TestWithoutModelsThereIsATrouble(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		orchestrator bool
		secret       string
		reported     bool
	}{
		"a worker for an orchestrator":       {false, "s", true},
		"an orchestrator that takes work":    {true, "", true},
		"one that lets workers of others in": {true, "s", false},
	} {
		p := &Part{Env: &nodeenv.Env{Config: &config.Config{}, Log: slog.New(slog.DiscardHandler)}}
		p.Board = health.New(p.Log, time.Now, nil)
		p.Config.Roles.AIWorker, p.Config.Roles.Orchestrator = true, row.orchestrator
		if row.secret != "" {
			p.Config.Addresses.OrchSecret = core.NewSecret(row.secret)
		}
		notice := p.withoutModels()
		reported := slices.ContainsFunc(p.Board.Snapshot(), func(c health.Condition) bool { return c.Code == fault.NoModels })
		if reported != row.reported || notice == "" {
			t.Errorf("%s: on the board %t, notice %q", name, reported, notice)
		}
	}
}
