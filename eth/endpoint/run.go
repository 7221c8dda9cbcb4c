package endpoint

import (
	"context"
	"sync"
	"time"
)

// quietPolls is how many poll intervals pass between two looks at an endpoint
// whose websocket tells of new heads.
const quietPolls = 6

// Name is the component's name.
func (p *Pool) Name() string { return "chain endpoints" }

// Run watches every endpoint until ctx ends: its chain ID, its head, its health.
// It is ready at once and never fails: a node whose endpoints are all down starts,
// says so as a condition, and goes on trying.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	defer p.Close()
	ready()
	var wg sync.WaitGroup
	for _, r := range p.remotes {
		wg.Go(func() { p.watch(ctx, r) })
	}
	wg.Wait()
	p.forget()
	return nil
}

// watch looks at one endpoint at intervals, and when it has news.
func (p *Pool) watch(ctx context.Context, r *remote) {
	least := p.opt.PollInterval / 5
	for {
		began := p.opt.Now()
		if r.admit() {
			p.probe(ctx, r)
			r.leave()
		}
		p.report(r)
		if !rest(ctx, nil, least-p.opt.Now().Sub(began)) || !rest(ctx, r.wake, p.pause(r)) {
			return
		}
	}
}

// probe reads the endpoint's head, and asks for news where it can tell them.
func (p *Pool) probe(ctx context.Context, r *remote) {
	if _, err := p.latest(ctx, r); err != nil {
		return
	}
	if n, ok := r.line.(notifier); ok && !n.subscribed() {
		n.subscribe(ctx)
	}
}

// pause is how long to wait before the next look: until its rest is over, when it
// rests, and longer while news come by themselves.
func (p *Pool) pause(r *remote) time.Duration {
	r.mu.Lock()
	left := r.until.Sub(p.opt.Now())
	open := r.open()
	r.mu.Unlock()
	if open && left > 0 {
		return left
	}
	if n, ok := r.line.(notifier); ok && n.subscribed() {
		return quietPolls * p.opt.PollInterval
	}
	return spread(p.opt.PollInterval, p.opt.Random())
}

// rest waits for a time, or for wake; false when ctx ended.
func rest(ctx context.Context, wake <-chan struct{}, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return true
}

// dropped is called when a connection ended: what answers on the next one may be
// somebody else.
func (r *remote) dropped() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifiedAt = time.Time{}
}
