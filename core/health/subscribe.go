package health

import "sync"

// subscriber holds one notification: that something changed since it was last read.
type subscriber chan struct{}

// Changed returns a channel that holds a value whenever conditions changed since it
// was last read, and a function that ends the subscription. The reader takes a Snapshot:
// changes in quick succession are one notification.
func (b *Board) Changed() (<-chan struct{}, func()) {
	s := make(subscriber, 1)
	b.mu.Lock()
	b.subscribers[s] = struct{}{}
	b.mu.Unlock()
	var once sync.Once
	return s, func() {
		once.Do(func() {
			b.mu.Lock()
			delete(b.subscribers, s)
			b.mu.Unlock()
		})
	}
}

// notifyLocked notifies every subscriber of a change.
func (b *Board) notifyLocked() {
	for s := range b.subscribers {
		select {
		case s <- struct{}{}:
		default:
		}
	}
}
