package broker

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// searchQueue runs a limited number of searches at once and queues further ones first come, first
// served. A queued search needs no goroutine, so unknown model names from clients cost little.
type searchQueue struct {
	slots, maxWaiting int

	mu      sync.Mutex
	running int
	waiting []*search
}

func newSearchQueue(places, seats int) *searchQueue {
	return &searchQueue{slots: places, maxWaiting: seats}
}

// enqueue starts a search or queues it. Errors are the faults SearchesFull when the queue is full
// and Canceled when the gateway is stopping.
func (b *Broker) enqueue(l *searchQueue, s *search) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.running < l.slots:
		if !b.background(func() { b.runSearches(l, s) }) {
			return fault.New(fault.Canceled, s.of.op, "the gateway is stopping")
		}
		l.running++
	case len(l.waiting) < l.maxWaiting:
		l.waiting = append(l.waiting, s)
	default:
		return fault.New(fault.SearchesFull, s.of.op, "too many searches are queued")
	}
	return nil
}

// runSearches runs a search and then queued ones, in one slot.
func (b *Broker) runSearches(l *searchQueue, s *search) {
	for ; s != nil; s = l.next() {
		s.end(s.ask(), b.opt.Now)
	}
}

// next takes the next search from the queue; without one the slot is given back.
func (l *searchQueue) next() *search {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.running--
		return nil
	}
	s := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return s
}

// remove removes a search from the queue. It returns false when the search has started already.
func (l *searchQueue) remove(s *search) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, s)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}
