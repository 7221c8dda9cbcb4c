package airouting

import "time"

// maxBackoffs bounds the clients that are tracked per orchestrator.
const maxHeld = 256

// backoffs are the times until which clients do not use an orchestrator that told them to come back
// later.
type held map[string]time.Time

// left is the rest of a client's backoff.
func (h held) left(client string, now time.Time) time.Duration { return max(0, h[client].Sub(now)) }

// backOff starts a client's backoff. When there are too many, some are dropped: those clients ask
// again.
func (c *candidate) hold(client string, now, until time.Time) {
	for other, end := range c.held {
		if !end.After(now) || len(c.held) >= maxHeld {
			delete(c.held, other)
		}
	}
	if c.held == nil {
		c.held = make(held)
	}
	c.held[client] = until
}

// BackoffLeft is the time until the first orchestrator accepts jobs of a client that was told to
// come back later; 0 without one.
func (t *Table) HeldFor(now time.Time, q Query) (left time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.list {
		if t.objection(c, &q, now) != Held {
			continue
		}
		if d := c.held.left(q.Client, now); left == 0 || d < left {
			left = d
		}
	}
	return left
}
