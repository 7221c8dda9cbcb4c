package ledger

// take is the next group's requests: what was kept, then what is queued.
func (l *Ledger) take() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) > groupMost {
		group := l.kept[:groupMost:groupMost]
		l.kept = l.kept[groupMost:]
		return group
	}
	n := min(len(l.queue), groupMost)
	group := append(l.kept[:len(l.kept):len(l.kept)], l.queue[:n]...)
	for _, r := range l.queue[:n] {
		r.taken = true
	}
	l.queue, l.kept = l.queue[n:], nil
	return group
}

// keep answers those who wait for a group that could not be written, and keeps the
// rest of it before everything else. With more kept than one group holds, those who
// wait in the queue would wait for all of that: they are answered too.
func (l *Ledger) keep(group []*request, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := answer(group, err)
	l.kept = append(kept, l.kept...)
	if len(l.kept) > groupMost {
		for _, r := range l.queue {
			r.taken = true
		}
		l.kept = append(l.kept, answer(l.queue, err)...)
		l.queue = nil
	}
}

// wrote counts the entries of a group for which nobody waited.
func (l *Ledger) wrote(group []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range group {
		if r.done == nil {
			l.booked--
		}
	}
}

// answer gives those who wait the outcome and returns the others.
func answer(requests []*request, outcome error) (rest []*request) {
	for _, r := range requests {
		if r.done != nil {
			r.done <- outcome
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

// finished takes nothing more from now on, for a reason, if everything that came
// before has been written.
func (l *Ledger) finished(why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue)+len(l.kept) > 0 {
		return false
	}
	l.ended = why
	return true
}
