package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// driver puts a driver's tool into PATH that does this.
func driver(t *testing.T, dir, script string) {
	t.Helper()
	path := filepath.Join(dir, "nvidia-smi")
	if err := os.WriteFile(path+".new", []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// aiNode is a node with one warm model in a container, and a tool that does this.
func aiNode(t *testing.T, gpus config.Devices, script string) (n *node, bin string) {
	t.Helper()
	bin = t.TempDir()
	driver(t, bin, script)
	t.Setenv("PATH", bin)
	// Nothing answers there: a container gets as far as that.
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(bin, "docker.sock"))
	log := slog.New(slog.DiscardHandler)
	n = &node{cfg: modelsConfig(t, `[
 {"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "gpus": [1]},
 {"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": true}]`), log: log, board: health.New(log, time.Now, nil)}
	n.cfg.AI.ContainersPerGPU = 1
	n.cfg.Transcoding.Devices = gpus
	return n, bin
}

// missing is what the board says of GPUs.
func missing(n *node) string {
	for _, c := range n.board.Snapshot() {
		if c.Code == fault.NoDevices && c.About == "" {
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
			n, bin := aiNode(t, gpus, "exit 9")
			work := n.newAI(t.Context())
			if work.notice != "" || len(work.models.Entries) != 2 {
				t.Fatalf("%+v", work)
			}
			if missing(n) == "" {
				t.Error("the board does not say that GPUs are missing")
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- work.manager.Run(ctx, func() {}) }()
			until(t, work.manager.Models, fault.NoDevices)
			driver(t, bin, "echo 0, 24564; echo 1, 24564")
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
	n, _ := aiNode(t, config.Devices{IDs: []int{0, 1, 2}}, "echo 0, 24564; echo 1, 24564")
	work := n.newAI(t.Context())
	if len(work.models.Entries) != 2 {
		t.Fatalf("%+v", work)
	}
	if text := missing(n); text != "there is no GPU 2, the driver shows 2" {
		t.Errorf("the board says %q", text)
	}
}
