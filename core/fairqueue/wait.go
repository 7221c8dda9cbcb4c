package fairqueue

import "container/list"

// enqueueLocked appends a waiter of a party; nil when the queue is full.
func (l *Queue) enqueueLocked(among *waiters, name string) *waiter {
	if among == &l.ordinary && among.arrivals.Len() >= l.maxWaiting && !l.evictFromLongestLocked(name) {
		return nil
	}
	p := among.parties[name]
	if p == nil {
		p = &party{name: name, among: among, waiting: list.New()}
		p.inTurns = among.turns.PushBack(p)
		among.parties[name] = p
	}
	w := &waiter{party: p, since: l.now(), done: make(chan struct{})}
	w.inParty = p.waiting.PushBack(w)
	w.inArrivals = among.arrivals.PushBack(w)
	return w
}

// evictFromLongestLocked evicts the latest waiter of the longest party if the named one is
// shorter even with one more. Only a full queue pays for the scan of all parties, of which
// there are at most maxWaiting.
func (l *Queue) evictFromLongestLocked(name string) bool {
	mine := 1
	if p := l.ordinary.parties[name]; p != nil {
		mine += p.waiting.Len()
	}
	var longest *party
	for e := l.ordinary.turns.Front(); e != nil; e = e.Next() {
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

// grantLocked gives free slots to waiters, one party after another, and to idle ones last.
func (l *Queue) grantLocked() {
	for _, among := range []*waiters{&l.ordinary, &l.idle} {
		for l.inUse < l.slots && among.turns.Len() > 0 {
			p := among.turns.Front().Value.(*party)
			w := p.waiting.Front().Value.(*waiter)
			among.turns.MoveToBack(p.inTurns)
			l.removeLocked(w)
			l.inUse++
			close(w.done)
		}
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
	among := w.party.among
	among.arrivals.Remove(w.inArrivals)
	w.inArrivals = nil
	w.party.waiting.Remove(w.inParty)
	if w.party.waiting.Len() == 0 {
		among.turns.Remove(w.party.inTurns)
		delete(among.parties, w.party.name)
	}
}
