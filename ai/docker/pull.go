package docker

import (
	"context"
	"fmt"
	"sync"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// pull is the pull of one image, shared by its callers.
type pull struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // set before done is closed

	mu      sync.Mutex // covers the fields below
	waiters map[int]func(Progress)
	next    int
	last    Progress
}

// joinPull waits for the image's pull, and starts it if there is none.
func (e *Engine) joinPull(ctx context.Context, image string, progress func(Progress)) error {
	const op = "pull image"
	e.mu.Lock()
	if e.life.Err() != nil {
		e.mu.Unlock()
		return fault.Wrap(fault.Canceled, op, e.life.Err())
	}
	p := e.pulls[image]
	if p == nil {
		p = &pull{done: make(chan struct{}), waiters: make(map[int]func(Progress))}
		var work context.Context
		work, p.cancel = context.WithCancel(e.life)
		e.pulls[image] = p
		// Under mu and before Close: see begin.
		e.running.Go(func() { e.runPull(work, image, p) })
	}
	me := p.subscribe(progress)
	e.mu.Unlock()

	defer e.unsubscribe(image, p, me)
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
	}
}

func (p *pull) subscribe(progress func(Progress)) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	p.waiters[p.next] = progress
	if progress != nil && p.last != (Progress{}) {
		progress(p.last)
	}
	return p.next
}

// unsubscribe removes a caller. A pull without callers is canceled; the next caller starts
// another one.
func (e *Engine) unsubscribe(image string, p *pull, me int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.mu.Lock()
	delete(p.waiters, me)
	empty := len(p.waiters) == 0
	p.mu.Unlock()
	if empty {
		p.cancel()
		if e.pulls[image] == p {
			delete(e.pulls, image)
		}
	}
}

// runPull pulls and releases the callers.
func (e *Engine) runPull(ctx context.Context, image string, p *pull) {
	begun := e.now()
	e.log.Info("fetching runner image", "image", image)
	p.err = e.fetch(ctx, image, p.report)
	e.mu.Lock()
	if e.pulls[image] == p {
		delete(e.pulls, image)
	}
	e.mu.Unlock()
	if p.err == nil {
		e.log.Info("fetched runner image", "image", image, "took", e.now().Sub(begun))
	}
	p.cancel()
	close(p.done)
}

func (p *pull) report(now Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = now
	for _, progress := range p.waiters {
		if progress != nil {
			progress(now)
		}
	}
}

func (e *Engine) fetch(ctx context.Context, image string, report func(Progress)) error {
	const op = "pull image"
	stream, err := e.api.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return e.pullFault(op, image, err)
	}
	defer stream.Close()
	// The engine answers 200 first and may fail or stop afterwards.
	if err := follow(stream, image, report); err != nil {
		return e.pullFault(op, image, err)
	}
	present, err := e.ImagePresent(ctx, image)
	if err != nil {
		return err
	}
	if !present {
		return e.pullFault(op, image, fmt.Errorf("the pull of %s ended without the image and without a reason", image))
	}
	return nil
}
