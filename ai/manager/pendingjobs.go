package manager

import "sync"

// pendingJobs counts a model's jobs that wait for a slot, by party. A job counts before its container is wanted.
type pendingJobs struct {
	mu      sync.Mutex
	all     int
	byParty map[string]int
}

// add counts n more jobs of a party.
func (p *pendingJobs) add(party string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byParty == nil {
		p.byParty = make(map[string]int)
	}
	p.all += n
	if p.byParty[party] += n; p.byParty[party] == 0 {
		delete(p.byParty, party)
	}
}

// any reports whether there is a job.
func (p *pendingJobs) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all > 0
}

// of reports whether a party has a job.
func (p *pendingJobs) of(party string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byParty[party] > 0
}
