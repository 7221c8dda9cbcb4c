package manager_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// client is a back-end of a box or a server.
type client struct {
	h     *host
	port  uint16
	url   string
	close bool
}

func (c *client) program() (*program, *box) {
	if s := c.h.servers[c.url]; s != nil {
		return s, nil
	}
	for _, b := range c.h.boxes {
		if b.running && b.spec.HostPort == c.port {
			return &b.program, b
		}
	}
	return &program{down: true}, nil
}

func (c *client) Probe(ctx context.Context) (backend.Info, error) {
	c.h.mu.Lock()
	p, b := c.program()
	p.probes++
	var age time.Duration
	if b != nil {
		age = time.Since(b.started)
	}
	stuck, now := p.stuck, *p
	c.h.mu.Unlock()
	switch {
	case stuck:
		<-ctx.Done()
		return backend.Info{}, fault.Wrap(fault.RunnerStalled, "probe", ctx.Err())
	case now.down || age < now.silent:
		return backend.Info{}, fault.New(fault.RunnerUnreachable, "probe", "connection refused")
	case now.missing:
		return backend.Info{}, fault.New(fault.RunnerModelMissing, "probe", "the server has: other-model")
	}
	info := backend.Info{Kind: now.kind, Health: now.health, Slots: now.slots, Assumed: now.assumed, Version: now.version,
		Operations: now.operations, Features: now.features, Context: now.context, Unlisted: now.unlisted}
	if info.Health == "" {
		info.Health = backend.OK
		if age < now.silent+now.loads {
			info.Health = backend.Loading
		}
	}
	return info, nil
}

func (c *client) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	p, b := c.program()
	if p.down || ctx.Err() != nil {
		return nil, fault.New(fault.RunnerUnreachable, "run", "connection refused")
	}
	if p.holds {
		held := c.h.until(c.url)
		c.h.mu.Unlock()
		select {
		case <-ctx.Done():
			c.h.mu.Lock()
			return nil, context.Cause(ctx)
		case <-held:
		}
		c.h.mu.Lock()
	}
	c.h.lastBody = string(job.Body)
	p.jobs++
	switch {
	case p.refusal != nil:
		return nil, p.refusal
	case p.refuses != 0:
		return &inference.Reply{Status: p.refuses, Body: io.NopCloser(strings.NewReader("no"))}, nil
	}
	if strings.HasPrefix(string(job.Body), "break") {
		return &inference.Reply{Status: 200, Body: io.NopCloser(&broken{})}, nil
	}
	done := func() {}
	if b != nil {
		b.jobs++
		b.mostJob = max(b.mostJob, b.jobs)
		done = func() { c.h.mu.Lock(); b.jobs--; c.h.mu.Unlock() }
	}
	return &inference.Reply{Status: 200, Body: &text{Reader: strings.NewReader(c.url), done: done}}, nil
}

func (c *client) Close() { c.close = true }

// Find and Pull are those of a server that can fetch models.
func (c *client) Find(ctx context.Context) (string, error) {
	_, err := c.Probe(ctx)
	return "there", err
}

func (c *client) Pull(ctx context.Context, progress func(backend.PullProgress)) (string, error) {
	progress(backend.PullProgress{Name: "there", Done: 1, Total: 2})
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if c.h.pullErr != nil {
		return "", c.h.pullErr
	}
	p, _ := c.program()
	p.missing = false
	return "there", ctx.Err()
}

type text struct {
	io.Reader
	done func()
	once sync.Once
}

func (t *text) Close() error { t.once.Do(t.done); return nil }

type broken struct{}

func (*broken) Read([]byte) (int, error) {
	return 0, fault.New(fault.RunnerBroke, "read an answer", "connection reset")
}
