package manager

import "time"

// A model that is loaded on demand keeps its slots for a while, as long as parties use it, even if other
// parties' jobs want another model. Loading takes long: without this, one job of a single token in
// each pause would make the node load models all the time.
const (
	// usedFor is for how long after its last job a party counts as using a model.
	usedFor = 10 * time.Second
	// keepLoads: a model that is loaded keeps its slots for this many times its loading time, but
	// for leastKept at least and mostKept at most.
	keepLoads = 4
	leastKept = 15 * time.Second
	mostKept  = 4 * time.Minute
	// maxUsers bounds the parties that are remembered for a model.
	maxUsers = 256
)

// users is the parties that used a model recently. It is guarded by pool.mu.
type users struct {
	last map[string]time.Time
	// until is when the model gives its slots up, even if it is used.
	until time.Time
}

// record records that a party's job begins or ends.
func (u *users) record(party string, now time.Time) {
	if u.last == nil {
		u.last = make(map[string]time.Time)
	}
	u.last[party] = now
	for other := range u.last {
		if len(u.last) <= maxUsers {
			break
		}
		if other != party {
			delete(u.last, other)
		}
	}
}

// kept returns until when the model keeps its slots for the parties that do not ask for another model.
func (u *users) kept(asks func(party string) bool) (until time.Time) {
	for party, at := range u.last {
		if end := at.Add(usedFor); end.After(until) && !asks(party) {
			until = end
		}
	}
	if until.After(u.until) {
		until = u.until
	}
	return until
}

// loaded records that a container of the model became ready, and how long it took.
func (p *pool) loaded(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := p.now().Add(min(max(keepLoads*took, leastKept), mostKept))
	if until.After(p.users.until) {
		p.users.until = until
	}
}

// kept returns for how long the model still keeps its slots although some parties ask for another
// model; 0 if it does not. asks reports whether a party is one of these.
func (p *pool) kept(asks func(party string) bool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.users.kept(asks).Sub(p.now()))
}

// record records that a party's job begins or ends.
func (p *pool) record(party string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users.record(party, p.now())
}
