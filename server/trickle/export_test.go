package trickle

// Kept reports whether the segment of a number is kept.
func (c *Channel) Kept(number int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.atLocked(number) != nil
}
