package chain

import (
	"sync"

	"github.com/tuttinode/tutti/core/protocol"
)

// bus publishes events to its subscribers. Only the follower's goroutine publishes, so events come one after
// another.
type bus struct {
	mu   sync.Mutex
	next int
	subs []subscriber // guarded by mu; in subscription order
}

type subscriber struct {
	id int
	f  func(protocol.Event)
}

// Subscribe calls f for every event until stop is called. A call in progress may still run when stop returns.
func (b *bus) Subscribe(f func(protocol.Event)) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	id := b.next
	b.subs = append(b.subs[:len(b.subs):len(b.subs)], subscriber{id, f})
	return func() { b.unsubscribe(id) }
}

// unsubscribe copies, because publish may be reading the old list.
func (b *bus) unsubscribe(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var rest []subscriber
	for _, s := range b.subs {
		if s.id != id {
			rest = append(rest, s)
		}
	}
	b.subs = rest
}

// publish calls the subscribers. A callback may subscribe and unsubscribe.
func (b *bus) publish(events ...protocol.Event) {
	b.mu.Lock()
	subs := b.subs
	b.mu.Unlock()
	for _, e := range events {
		for _, s := range subs {
			s.f(e)
		}
	}
}
