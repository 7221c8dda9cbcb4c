package health

import "sync"

// subscriber has room for one word: that something changed since it last looked.
type subscriber chan struct{}

// Changed returns a channel that holds a value whenever conditions changed since it
// was last read, and a function that ends the subscription. Whoever reads it takes a
// Snapshot: changes that follow one another fast are one word.
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

// tell says to every subscriber that something changed. The caller holds mu.
func (b *Board) tell() {
	for s := range b.subscribers {
		select {
		case s <- struct{}{}:
		default:
		}
	}
}
