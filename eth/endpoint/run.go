package endpoint

import (
	"context"
	"sync"
	"time"
)

// subscribedPolls is how many poll intervals pass between two polls of an endpoint whose websocket notifies
// of new heads.
const subscribedPolls = 6

// Name returns the component's name.
func (p *Pool) Name() string { return "chain endpoints" }

// Run watches every endpoint until ctx ends: its chain ID, its head, its health. It is ready at once and
// never fails: a node whose endpoints are all down starts, sets a condition, and keeps trying.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	defer p.Close()
	ready()
	var wg sync.WaitGroup
	for _, r := range p.remotes {
		wg.Go(func() { p.watch(ctx, r) })
	}
	wg.Wait()
	p.clearConditions()
	return nil
}

// watch polls one endpoint at intervals and on notifications.
func (p *Pool) watch(ctx context.Context, r *remote) {
	least := p.opt.PollInterval / 5
	for {
		began := p.opt.Now()
		if r.tryAcquire() {
			p.probe(ctx, r)
			r.release()
		}
		p.report(r)
		if !sleep(ctx, nil, least-p.opt.Now().Sub(began)) || !sleep(ctx, r.wake, p.pause(r)) {
			return
		}
	}
}

// probe reads the endpoint's head, and subscribes to new heads where the transport can.
func (p *Pool) probe(ctx context.Context, r *remote) {
	if _, err := p.latest(ctx, r); err != nil {
		return
	}
	if n, ok := r.transport.(notifier); ok && !n.subscribed() {
		n.subscribe(ctx)
	}
}

// pause returns the time to the next poll: the rest of the back-off, if there is one, and longer while a
// subscription delivers heads.
func (p *Pool) pause(r *remote) time.Duration {
	r.mu.Lock()
	left := r.until.Sub(p.opt.Now())
	open := r.open()
	r.mu.Unlock()
	if open && left > 0 {
		return left
	}
	if n, ok := r.transport.(notifier); ok && n.subscribed() {
		return subscribedPolls * p.opt.PollInterval
	}
	return jitter(p.opt.PollInterval, p.opt.Random())
}

// sleep waits for a time, or for wake; false when ctx ended.
func sleep(ctx context.Context, wake <-chan struct{}, d time.Duration) bool {
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

// connectionClosed is called when a connection ended: another server may answer on the next one.
func (r *remote) connectionClosed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verifiedAt = time.Time{}
}
