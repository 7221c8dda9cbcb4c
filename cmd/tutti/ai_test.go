package main

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
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// aiNode is a node with one warm model in a container, on a machine with this
// driver.
func aiNode(t *testing.T, gpus config.Devices, script ...string) (*node, *fakegpu.Driver) {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(script...)
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	// Nothing answers there: a container gets as far as that.
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "docker.sock"))
	log := slog.New(slog.DiscardHandler)
	env := &nodeenv.Env{Config: modelsConfig(t, `[
 {"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "gpus": [1]},
 {"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": true}]`), Log: log, Board: health.New(log, time.Now, nil)}
	n := &node{Env: env, media: media.New(env, nil)}
	n.Config.AI.ContainersPerGPU = 1
	n.Config.Transcoding.Devices = gpus
	return n, d
}

// missing is what the board says of GPUs.
func missing(n *node) string {
	for _, c := range n.Board.Snapshot() {
		if slices.Contains(modelconfig.Problems, c.Code) && c.About == "" {
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
			n, driver := aiNode(t, gpus, "nvml.init=18")
			work := n.newAI(t.Context())
			if work.whyNot() != "" || len(work.models.Entries) != 2 {
				t.Fatalf("%+v", work)
			}
			if missing(n) == "" {
				t.Error("the board does not say that GPUs are missing")
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- work.manager.Run(ctx, func() {}) }()
			until(t, work.manager.Models, fault.GPUDriverMismatch)
			driver.Script("devices=2", "device.memory=24564")
			// Now each of them fails for want of an engine.
			until(t, work.manager.Models, fault.DockerMissing)
			if text := missing(n); text != "" {
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
	n, _ := aiNode(t, config.Devices{IDs: []int{0, 1, 2}}, "devices=2", "device.memory=24564")
	work := n.newAI(t.Context())
	if len(work.models.Entries) != 2 {
		t.Fatalf("%+v", work)
	}
	if text := missing(n); !strings.HasPrefix(text, "there is no GPU 2; the machine has 0 (") {
		t.Errorf("the board says %q", text)
	}
}
