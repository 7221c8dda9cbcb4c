package main

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// workerStart is how long a media worker may take until it is ready.
const workerStart = 30 * time.Second

// startMedia starts one media worker per device and the pool before them, which
// closes them. The error is WorkerStartFailed.
func startMedia(ctx context.Context, n *node, recorder core.Recorder) (*pool.Pool, error) {
	ctx, cancel := context.WithTimeout(ctx, workerStart)
	defer cancel()
	client, err := worker.Start(ctx, worker.Options{
		Device: "cpu", Args: []string{mediaWorker},
		Env:      []string{envPreset + "=" + n.cfg.Transcoding.EncoderPreset},
		Memory:   workerMemory(n.cfg.Transcoding.WorkerMemory),
		Log:      n.log,
		Recorder: recorder,
	})
	if err != nil {
		return nil, err
	}
	n.board.Report(health.Key{Code: fault.SandboxDegraded, About: client.Device()}, client.Degraded())
	return pool.New([]transcoder.Engine{client}, pool.Options{
		MaxSessions: n.cfg.Limits.MaxSessions.N, Log: n.log, Recorder: recorder,
	}), nil
}

// workerMemory is a media worker's bound in bytes. Where the operator leaves it to
// the node, a worker may have three quarters of the machine: enough for as many
// streams as its processors carry, and not so much that the system has to choose
// which process to end.
func workerMemory(limit config.MemoryLimit) int64 {
	if !limit.Auto {
		return int64(limit.Bytes)
	}
	return machineMemory() / 4 * 3
}

// machineMemory is the machine's memory in bytes, 0 when the system does not tell.
func machineMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		if name != "MemTotal" {
			continue
		}
		kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err != nil {
			return 0
		}
		return kb * 1024
	}
	return 0
}
