package endpoint

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
)

// Heads sends every new newest block until ctx ends, then closes. A slow reader gets only the newest one:
// nothing queues up. The first is the one already known. A number falls only when a head proved wrong. Run
// must be running.
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

// publishLocked sends a head to the subscribers. Under mu it is the only writer of the channels.
func (p *Pool) publishLocked(head protocol.Head) {
	for ch := range p.subs {
		select {
		case <-ch:
		default:
		}
		ch <- head
	}
}
