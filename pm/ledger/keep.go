package ledger

import "slices"

// take is the next group's requests: what was kept, then what is queued.
func (l *Ledger) take() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := together(l.kept, l.most)
	group := l.kept[:n:n]
	l.kept = l.kept[n:]
	if len(l.kept) > 0 || n > 0 && group[0].alone {
		return group
	}
	m := together(l.queue, max(l.most-n, 0))
	if n > 0 && m > 0 && l.queue[0].alone {
		m = 0
	}
	for _, r := range l.queue[:m] {
		r.taken = true
	}
	group = append(group, l.queue[:m]...)
	l.queue, l.kept = l.queue[m:], nil
	return group
}

// together is how many of the first requests are written in one transaction.
func together(requests []*request, most int) int {
	for i, r := range requests {
		switch {
		case i == most:
			return i
		case r.alone:
			return max(i, 1)
		}
	}
	return len(requests)
}

// keep answers those who wait for a group that could not be written, and keeps the
// rest of it before everything else. With a whole group or more kept, those who
// wait in the queue would wait for all of that: they are answered too. So are those
// behind what is written alone, which comes after all that is kept.
func (l *Ledger) keep(group []*request, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := answer(group, err)
	l.kept = append(kept, l.kept...)
	if len(l.kept) >= l.most || slices.ContainsFunc(l.queue, func(r *request) bool { return r.alone }) {
		for _, r := range l.queue {
			r.taken = true
		}
		l.kept = append(l.kept, answer(l.queue, err)...)
		l.queue = nil
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
