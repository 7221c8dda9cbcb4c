package airouting

import "time"

// maxBackoffs bounds the clients that are tracked per orchestrator.
const maxBackoffs = 256

// backoffs are the times until which clients do not use an orchestrator that asked them to come back
// later.
type backoffs map[string]time.Time

// left returns the rest of a client's backoff.
func (h backoffs) left(client string, now time.Time) time.Duration { return max(0, h[client].Sub(now)) }

// backOff starts a client's backoff. When there are too many, some are dropped: those clients ask
// again.
func (c *candidate) backOff(client string, now, until time.Time) {
	for other, end := range c.backoffs {
		if !end.After(now) || len(c.backoffs) >= maxBackoffs {
			delete(c.backoffs, other)
		}
	}
	if c.backoffs == nil {
		c.backoffs = make(backoffs)
	}
	c.backoffs[client] = until
}

// BackoffLeft returns the time until the first orchestrator accepts jobs of a client that was asked to
// come back later; 0 without one.
func (t *Table) BackoffLeft(now time.Time, q Query) (left time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.list {
		if t.objection(c, &q, now) != AskedToWait {
			continue
		}
		if d := c.backoffs.left(q.Client, now); left == 0 || d < left {
			left = d
		}
	}
	return left
}
