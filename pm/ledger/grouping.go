package ledger

import "slices"

// takeGroup returns the next group's requests: first the retained ones, then the queue.
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

// groupSize returns how many of the first requests are written in one transaction.
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

// keepForRetry answers the callers of a group that could not be written, and retains its
// asynchronous requests ahead of all others. If a full group or more is retained, or an
// exclusive request is queued, the queue would wait too long: its callers are answered as well.
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

// answerWaiting sends the outcome to the waiting callers and returns the other requests.
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

// closeIfEmpty refuses new requests, with a reason, if all earlier ones were written.
func (l *Ledger) closeIfEmpty(why error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue)+len(l.retained) > 0 {
		return false
	}
	l.ended = why
	return true
}
