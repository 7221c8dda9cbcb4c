package main

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// gatewayMedia measures audio for a gateway: with the media workers that the
// process has, else with some of its own, which ai then keeps.
func (n *node) gatewayMedia(ai *gatewayAI) pipeline.MediaProbe {
	if n.media != nil {
		return mediaTools{n.media}
	}
	m := &mediaOnDemand{start: func(ctx context.Context) (*pool.Pool, error) {
		return startMedia(ctx, n, n.recorder(metrics.Gateway))
	}}
	ai.components = append(ai.components, m)
	return m
}

// mediaOnDemand is media workers that start when the first audio comes: most
// gateways never see any, and a worker takes memory.
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
