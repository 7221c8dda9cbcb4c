package airouting

import "time"

// maxHeld bounds the clients that are remembered for one orchestrator.
const maxHeld = 256

// held is until when clients leave an orchestrator alone that told them to come back later.
type held map[string]time.Time

// left is how long a client still leaves it alone.
func (h held) left(client string, now time.Time) time.Duration { return max(0, h[client].Sub(now)) }

// hold has a client leave the orchestrator alone until a time. Where too many do, some are
// forgotten: they ask again.
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

// HeldFor is how long it takes until the first orchestrator takes jobs again of a client
// that was told to come back later; 0 where none told it so. Those in skip do not count.
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
