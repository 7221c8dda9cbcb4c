package devices

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
)

// pending are the GPUs of the start that something waits for.
type pending struct {
	mu    sync.Mutex // covers the fields below
	cards map[device.UUID]bool
	// none is closed while there are none.
	none chan struct{}
}

func newPending() *pending {
	p := &pending{cards: make(map[device.UUID]bool), none: make(chan struct{})}
	close(p.none)
	return p
}

// expect says which GPUs there are. It is called once, before anything waits.
func (p *pending) expect(cards []device.GPU) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(cards) == 0 {
		return
	}
	p.none = make(chan struct{})
	for _, d := range cards {
		p.cards[d.UUID] = true
	}
}

// over says that nothing waits for a GPU any more.
func (p *pending) over(id device.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cards[id] {
		return
	}
	delete(p.cards, id)
	if len(p.cards) == 0 {
		close(p.none)
	}
}

// await waits until there are none, but not long for a GPU that hangs.
func (p *pending) await(ctx context.Context, limit time.Duration) {
	p.mu.Lock()
	none := p.none
	p.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-none:
	case <-timer.C:
	case <-ctx.Done():
	}
}
