package endpoint

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
)

// Heads gives every new newest block until ctx ends, then closes. Who is slow
// finds only the newest: nothing queues up. The first is the one already known.
// A number falls only when a head proved wrong. Run must be running.
func (p *Pool) Heads(ctx context.Context) <-chan protocol.Head {
	ch := make(chan protocol.Head, 1)
	p.mu.Lock()
	p.subs[ch] = struct{}{}
	if !p.best.head.Hash.IsZero() {
		ch <- p.best.head
	}
	p.mu.Unlock()
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.subs, ch)
		close(ch)
	})
	return ch
}

// publish tells the subscribers. The caller holds mu, so that nobody else writes
// to the channels.
func (p *Pool) publish(head protocol.Head) {
	for ch := range p.subs {
		select {
		case <-ch:
		default:
		}
		ch <- head
	}
}
