package main

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/mediaworker"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/probe"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// addMedia makes the pool of whoever transcodes for this node, and gives it this
// machine's devices if the node transcodes itself: the processor at once, GPUs when
// they were tested. The error is WorkerStartFailed.
func (n *node) addMedia(ctx context.Context, recorder core.Recorder) error {
	var engines []transcoder.Engine
	if n.Config.Roles.Orchestrator {
		n.resultBytes.Store(int64(n.Config.Limits.ResultMemory))
	}
	if n.Config.Roles.Transcoder && n.Config.Transcoding.Devices.None() {
		client, err := n.startCPU(ctx, recorder)
		if err != nil {
			return err
		}
		// One that can be tested: that tells a processor that works from media that ends workers.
		engines = append(engines, probe.NewDevice(client, probe.Options{Log: n.Log}))
	}
	n.media = pool.New(engines, pool.Options{
		MaxSessions: n.Config.Limits.MaxSessions.N, Measured: !n.Config.Transcoding.Devices.None(),
		Capabilities: n.offered(capability.SoftwareTranscoder()), Log: n.Log, Recorder: recorder, Changed: n.reportTranscoders,
		FreeMemory: n.freeMemory,
	})
	n.Add(n.media)
	n.Add(&readiness{n})
	if n.Config.Roles.Transcoder && !n.Config.Transcoding.Devices.None() {
		return n.addGPUs(recorder)
	}
	return nil
}

// offered are capabilities as this node offers them: with its release, and without
// what the operator does not want.
func (n *node) offered(can capability.Set) capability.Capabilities {
	return capability.Offer(n.wanted(can), release.NetworkVersion)
}

// wanted is a device's capabilities after the operator's word on HEVC sources.
func (n *node) wanted(can capability.Set) capability.Set {
	switch n.Config.Transcoding.HEVCDecoding {
	case config.Off:
		return can.Without(capability.HEVCDecode)
	case config.On:
		return can.With(capability.HEVCDecode)
	}
	return can
}

// startCPU starts the media worker of the processor and takes it into the node.
func (n *node) startCPU(ctx context.Context, recorder core.Recorder) (*worker.Client, error) {
	client, err := mediaworker.Start(ctx, n.Config, n.Log, recorder)
	if err == nil {
		n.addWorker(client)
	}
	return client, err
}

// addWorker takes a media worker that has begun into the node.
func (n *node) addWorker(client *worker.Client) {
	client.Keeps(n.resultBytes.Load)
	mediaworker.ReportSandbox(n.Board, client)
}

// mediaFor is the AI part's tools: the processor's media worker, if the process has one
// for segments, else one of its own that starts when it is needed and is added to the
// components by add.
func (n *node) mediaFor(nodeType string, add func(lifecycle.Component)) media.Tools {
	alone := n.Config.Addresses.OrchSecret.IsZero() || !n.Config.Roles.Orchestrator
	if n.media != nil && n.Config.Roles.Transcoder && n.Config.Transcoding.Devices.None() && alone {
		return media.NewTools(n.media) // no transcoder elsewhere can get the work
	}
	m := media.NewOnDemand(func(ctx context.Context) (*pool.Pool, error) {
		client, err := n.startCPU(ctx, n.Recorder(nodeType))
		if err != nil {
			return nil, err
		}
		return pool.New([]transcoder.Engine{client}, pool.Options{Log: n.Log}), nil
	})
	add(m)
	return m
}
