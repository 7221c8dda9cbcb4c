package main

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// tools are for the AI part: the length of audio, and videos of pictures. Both are
// hostile bytes, which this process does not decode.
type tools interface {
	pipeline.MediaProbe
	orchestrator.FrameEncoder
}

// mediaFor is the AI part's tools: the processor's media worker, if the process has one
// for segments, else one of its own that starts when it is needed and is added to the
// components by add.
func (n *node) mediaFor(nodeType string, add func(lifecycle.Component)) tools {
	alone := n.cfg.Addresses.OrchSecret.IsZero() || !n.cfg.Roles.Orchestrator
	if n.media != nil && n.cfg.Roles.Transcoder && n.cfg.Transcoding.Devices.None() && alone {
		return mediaTools{n.media} // no transcoder elsewhere can get the work
	}
	m := &mediaOnDemand{start: func(ctx context.Context) (*pool.Pool, error) {
		client, err := n.startCPU(ctx, n.recorder(nodeType))
		if err != nil {
			return nil, err
		}
		return pool.New([]transcoder.Engine{client}, pool.Options{Log: n.log}), nil
	}}
	add(m)
	return m
}

// mediaOnDemand is media workers that start when the first audio comes: most nodes
// never see any, and a worker takes memory.
type mediaOnDemand struct {
	start func(context.Context) (*pool.Pool, error)

	// mu is held while they start, so that they start once.
	mu     sync.Mutex
	pool   *pool.Pool
	closed bool
}

// Name is the component's name.
func (m *mediaOnDemand) Name() string { return "media workers" }

// Run ends the workers, if there are any, when ctx ends.
func (m *mediaOnDemand) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.pool == nil {
		return nil
	}
	return m.pool.Close()
}

// Duration is the length of an audio file.
func (m *mediaOnDemand) Duration(ctx context.Context, data []byte) (time.Duration, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return 0, err
	}
	return mediaTools{p}.Duration(ctx, data)
}

// EncodeMP4 makes a video of PNG frames.
func (m *mediaOnDemand) EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return nil, err
	}
	return mediaTools{p}.EncodeMP4(ctx, frames, fps, width, height)
}

// workers starts them if need be. They outlive the request that they start for.
func (m *mediaOnDemand) workers(ctx context.Context) (*pool.Pool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fault.New(fault.WorkerClosed, "measure audio", "")
	}
	if m.pool == nil {
		p, err := m.start(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		m.pool = p
	}
	return m.pool, nil
}
