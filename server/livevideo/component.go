package livevideo

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core/lifecycle"
)

// component is the life of a server with sessions, which descend from it and end with it.
type component struct {
	name string
	life context.Context
	end  context.CancelFunc

	// sessions are those that begin, too, and those whose slot is not free yet.
	sessions lifecycle.Sessions

	mu      sync.Mutex
	closed  bool // guarded by mu
	running sync.WaitGroup
}

func newComponent(name string) *component {
	c := &component{name: name}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// Name returns the component's name.
func (c *component) Name() string { return c.name }

// Run serves until ctx ends; then all sessions end.
func (c *component) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	return nil
}

// Sessions is the number of sessions that begin, run, or have a slot that is not free yet.
func (c *component) Sessions() int { return c.sessions.Count() }

// Work is what a drain waits for.
func (c *component) Work() *lifecycle.Work { return c.sessions.Work(c.name) }
