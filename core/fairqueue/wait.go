package fairqueue

import "container/list"

// Waits reports whether a waiter of a party is in the queue.
func (l *Queue) Waits(party string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parties[party] != nil
}

// enqueueLocked appends a waiter of a party; nil when the queue is full.
func (l *Queue) enqueueLocked(name string) *waiter {
	if l.arrivals.Len() >= l.maxWaiting && !l.evictFromLongestLocked(name) {
		return nil
	}
	p := l.parties[name]
	if p == nil {
		p = &party{name: name, waiting: list.New()}
		p.inTurns = l.turns.PushBack(p)
		l.parties[name] = p
	}
	w := &waiter{party: p, since: l.now(), done: make(chan struct{})}
	w.inParty = p.waiting.PushBack(w)
	w.inArrivals = l.arrivals.PushBack(w)
	return w
}

// evictFromLongestLocked evicts the latest waiter of the longest party if the named one is
// shorter even with one more. Only a full queue pays for the scan of all parties, of which
// there are at most maxWaiting.
func (l *Queue) evictFromLongestLocked(name string) bool {
	mine := 1
	if p := l.parties[name]; p != nil {
		mine += p.waiting.Len()
	}
	var longest *party
	for e := l.turns.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*party); longest == nil || p.waiting.Len() > longest.waiting.Len() {
			longest = p
		}
	}
	if longest == nil || longest.waiting.Len() <= mine {
		return false
	}
	last := longest.waiting.Back().Value.(*waiter)
	last.err = ErrFull
	l.removeLocked(last)
	close(last.done)
	return true
}

// grantLocked gives free slots to waiters, one party after another.
func (l *Queue) grantLocked() {
	for l.inUse < l.slots && l.turns.Len() > 0 {
		p := l.turns.Front().Value.(*party)
		w := p.waiting.Front().Value.(*waiter)
		l.turns.MoveToBack(p.inTurns)
		l.removeLocked(w)
		l.inUse++
		close(w.done)
	}
}

// withdraw removes a waiter whose context ended; false if it was answered before.
func (l *Queue) withdraw(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.inArrivals == nil {
		return false
	}
	l.removeLocked(w)
	return true
}

// removeLocked removes a waiter, and its party if it was the last.
func (l *Queue) removeLocked(w *waiter) {
	l.arrivals.Remove(w.inArrivals)
	w.inArrivals = nil
	w.party.waiting.Remove(w.inParty)
	if w.party.waiting.Len() == 0 {
		l.turns.Remove(w.party.inTurns)
		delete(l.parties, w.party.name)
	}
}
