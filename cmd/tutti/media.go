package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/machine"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/probe"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// workerStart is how long a media worker may take until it is ready.
const workerStart = 30 * time.Second

// addMedia makes the pool of whoever transcodes for this node, and gives it this
// machine's devices if the node transcodes itself: the processor at once, GPUs when
// they were tested. The error is WorkerStartFailed.
func (n *node) addMedia(ctx context.Context, recorder core.Recorder) error {
	var engines []transcoder.Engine
	if n.cfg.Roles.Orchestrator {
		n.kept.Store(int64(n.cfg.Limits.ResultMemory))
	}
	if n.cfg.Roles.Transcoder && n.cfg.Transcoding.Devices.None() {
		client, err := n.startCPU(ctx, recorder)
		if err != nil {
			return err
		}
		// One that can be tested: that tells a processor that works from media that ends workers.
		engines = append(engines, probe.NewDevice(client, probe.Options{Log: n.log}))
	}
	n.media = pool.New(engines, pool.Options{
		MaxSessions: n.cfg.Limits.MaxSessions.N, Measured: !n.cfg.Transcoding.Devices.None(),
		Capabilities: n.offered(capability.SoftwareTranscoder()), Log: n.log, Recorder: recorder, Changed: n.tellTranscoders,
		FreeMemory: n.freeMemory,
	})
	n.add(n.media)
	n.add(&readiness{n})
	if n.cfg.Roles.Transcoder && !n.cfg.Transcoding.Devices.None() {
		return n.addGPUs(recorder)
	}
	return nil
}

// startCPU starts the media worker of the processor.
func (n *node) startCPU(ctx context.Context, recorder core.Recorder) (*worker.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, workerStart)
	defer cancel()
	o := workerOptions(n.cfg, n.log, recorder)
	o.Device = "cpu"
	client, err := worker.Start(ctx, o)
	if err == nil {
		n.tend(client)
	}
	return client, err
}

// tend takes a media worker that has begun into the node.
func (n *node) tend(client *worker.Client) {
	client.Keeps(n.kept.Load)
	n.reportWalls(client)
}

// reportWalls makes a condition of the walls that are missing around a media worker.
func (n *node) reportWalls(client *worker.Client) {
	degraded := client.Degraded()
	for _, code := range []fault.Code{fault.SandboxOpen, fault.SandboxDegraded} {
		var err error
		if degraded != nil && fault.CodeOf(degraded) == code {
			err = degraded
		}
		n.board.Report(health.Key{Code: code, About: client.Device()}, err)
	}
}

// workerOptions are those of every media worker.
func workerOptions(cfg *config.Config, log *slog.Logger, recorder core.Recorder) worker.Options {
	return worker.Options{
		Args: []string{mediaWorker}, Env: []string{envPreset + "=" + cfg.Transcoding.EncoderPreset},
		Memory: workerMemory(cfg.Transcoding.WorkerMemory), Log: log, Recorder: recorder,
	}
}

// offered are capabilities as this node offers them: with its release, and without
// what the operator does not want.
func (n *node) offered(can capability.Set) capability.Capabilities {
	return capability.Offer(n.wanted(can), networkVersion)
}

// wanted is a device's capabilities after the operator's word on HEVC sources.
func (n *node) wanted(can capability.Set) capability.Set {
	switch n.cfg.Transcoding.HEVCDecoding {
	case config.Off:
		return can.Without(capability.HEVCDecode)
	case config.On:
		return can.With(capability.HEVCDecode)
	}
	return can
}

// workerMemory is a media worker's bound in bytes. Where the operator leaves it to
// the node, a worker may have three quarters of what the node may use, which a container
// or service can bound below what the machine has: enough for as many streams as its
// processors carry, and not so much that the system has to choose which process to end.
func workerMemory(limit config.MemoryLimit) int64 {
	if !limit.Auto {
		return int64(limit.Bytes)
	}
	all, _ := machine.Memory("/")
	return all / 4 * 3
}
