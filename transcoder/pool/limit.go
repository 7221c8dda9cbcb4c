package pool

// SetMaxSessions changes the limit while the pool works: a number of sessions at
// once, or 0 to admit by what was measured. Sessions that exist stay.
func (p *Pool) SetMaxSessions(n int) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	before := p.rules.byRatio()
	p.rules.maxSessions.Store(int64(max(0, n)))
	if p.rules.byRatio() == before {
		return
	}
	for _, d := range p.table.devices {
		p.refresh(d)
	}
}
