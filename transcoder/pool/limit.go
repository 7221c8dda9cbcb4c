package pool

// SetMaxSessions changes the limit while the pool works: a number of sessions at
// once, or 0 to admit by what was measured. Sessions that exist stay.
func (p *Pool) SetMaxSessions(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.MaxSessions = max(0, n)
}
