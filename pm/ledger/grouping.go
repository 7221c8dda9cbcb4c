package ledger

import "slices"

// take is the next group's requests: what was kept, then what is queued.
func (l *Ledger) takeGroup() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := groupSize(l.retained, l.groupLimit)
	group := l.retained[:n:n]
	l.retained = l.retained[n:]
	if len(l.retained) > 0 || n > 0 && group[0].exclusive {
		return group
	}
	m := groupSize(l.queue, max(l.groupLimit-n, 0))
	if n > 0 && m > 0 && l.queue[0].exclusive {
		m = 0
	}
	for _, r := range l.queue[:m] {
		r.taken = true
	}
	group = append(group, l.queue[:m]...)
	l.queue, l.retained = l.queue[m:], nil
	return group
}

// together is how many of the first requests are written in one transaction.
func groupSize(requests []*request, most int) int {
	for i, r := range requests {
		switch {
		case i == most:
			return i
		case r.exclusive:
			return max(i, 1)
		}
	}
	return len(requests)
}

// keep answers those who wait for a group that could not be written, and keeps the
// rest of it before everything else. With a whole group or more kept, those who
// wait in the queue would wait for all of that: they are answered too. So are those
// behind what is written alone, which comes after all that is kept.
func (l *Ledger) keepForRetry(group []*request, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := answerWaiting(group, err)
	l.retained = append(kept, l.retained...)
	if len(l.retained) >= l.groupLimit || slices.ContainsFunc(l.queue, func(r *request) bool { return r.exclusive }) {
		for _, r := range l.queue {
			r.taken = true
		}
		l.retained = append(l.retained, answerWaiting(l.queue, err)...)
		l.queue = nil
	}
}

// answer gives those who wait the outcome and returns the others.
func answerWaiting(requests []*request, outcome error) (rest []*request) {
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
func (l *Ledger) closeIfEmpty(why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue)+len(l.retained) > 0 {
		return false
	}
	l.ended = why
	return true
}
