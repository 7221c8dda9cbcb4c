package http1

import (
	"context"
	"sync"
)

// dials bounds the parallel dials to one host: handshakes need much memory for a short time,
// and a burst of them fragments it. The bound is per host, so that an unresponsive host does
// not delay others.
const dials = 32

// gates bounds the dials per host. The zero value is ready.
type gates struct {
	mu    sync.Mutex
	hosts map[target]*gate // guarded by mu; only hosts with a running or waiting dial
}

type gate struct {
	inside chan struct{}
	users  int // guarded by gates.mu
}

// enter waits for a slot, and fails with ctx's error. On success the caller must call leave.
func (g *gates) enter(ctx context.Context, host target) (leave func(), err error) {
	one := g.use(host)
	select {
	case one.inside <- struct{}{}:
		return func() { <-one.inside; g.done(host, one) }, nil
	case <-ctx.Done():
		g.done(host, one)
		return nil, ctx.Err()
	}
}

func (g *gates) use(host target) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.hosts[host]
	if one == nil {
		if g.hosts == nil {
			g.hosts = make(map[target]*gate)
		}
		one = &gate{inside: make(chan struct{}, dials)}
		g.hosts[host] = one
	}
	one.users++
	return one
}

func (g *gates) done(host target, one *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(g.hosts, host)
	}
}
