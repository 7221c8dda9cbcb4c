package fairqueue

import "container/list"

// Waits reports whether one of a party waits.
func (l *Line) Waits(party string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parties[party] != nil
}

// enqueue puts one of a party at its end, nil when there is no place. The caller
// holds mu.
func (l *Line) enqueue(name string) *waiter {
	if l.arrivals.Len() >= l.queue && !l.makeRoom(name) {
		return nil
	}
	p := l.parties[name]
	if p == nil {
		p = &party{name: name, waiting: list.New()}
		p.turn = l.turns.PushBack(p)
		l.parties[name] = p
	}
	w := &waiter{party: p, since: l.now(), done: make(chan struct{})}
	w.place = p.waiting.PushBack(w)
	w.arrival = l.arrivals.PushBack(w)
	return w
}

// makeRoom sends the latest of the longest party away when the named one is the
// shorter even with one more. Only a full line pays for the look at all parties,
// of which there are at most as many as may wait. The caller holds mu.
func (l *Line) makeRoom(name string) bool {
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
	l.remove(last)
	close(last.done)
	return true
}

// grant gives free slots to those who wait, one party after another. The caller
// holds mu.
func (l *Line) grant() {
	for l.inUse < l.slots && l.turns.Len() > 0 {
		p := l.turns.Front().Value.(*party)
		w := p.waiting.Front().Value.(*waiter)
		l.turns.MoveToBack(p.turn)
		l.remove(w)
		l.inUse++
		close(w.done)
	}
}

// leave takes one away whose context ended; false when its answer was faster.
func (l *Line) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.arrival == nil {
		return false
	}
	l.remove(w)
	return true
}

// remove takes one out of the line, and its party when it was the last. The
// caller holds mu.
func (l *Line) remove(w *waiter) {
	l.arrivals.Remove(w.arrival)
	w.arrival = nil
	w.party.waiting.Remove(w.place)
	if w.party.waiting.Len() == 0 {
		l.turns.Remove(w.party.turn)
		delete(l.parties, w.party.name)
	}
}
