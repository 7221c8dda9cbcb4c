package http1

import (
	"context"
	"sync"
)

// dials bounds how many connections to one host are being made at once: handshakes
// need much memory for a short time, and a rush of them leaves it in pieces. The
// bound is a host's own, so that one that does not answer keeps nobody else waiting.
const dials = 32

// gates let so many in per host. The zero value is ready.
type gates struct {
	mu    sync.Mutex
	hosts map[target]*gate // guarded by mu; only hosts with somebody inside or waiting
}

type gate struct {
	inside chan struct{}
	users  int // guarded by gates.mu
}

// enter waits for a place, and fails with ctx's error. Who got in calls leave.
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
