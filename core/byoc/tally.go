package byoc

import (
	"sync"

	"github.com/tuttinode/tutti/pm"
)

// maxTallies bounds the capabilities that are counted: more than can be registered.
const maxTallies = 4 * maxCapabilities

// Use is what was asked of a capability since the node started.
type Use struct {
	// Jobs are requests and streams that were begun.
	Jobs int64
	// Seconds were charged for, Earned is what they cost in wei.
	Seconds int64
	Earned  pm.Value
}

// Tally counts the use of capabilities. What is counted outlives a registration. Safe for concurrent use.
type Tally struct {
	mu sync.Mutex
	// ended is the work that has ended, by capability, running the rest. Guarded by mu.
	ended   map[string]Use
	running map[*job]struct{}
}

// job is work in progress.
type job struct {
	capability string
	price      pm.Price
	// charged returns the seconds that were charged for.
	charged func() int64
}

// NewTally makes one that has counted nothing.
func NewTally() *Tally {
	return &Tally{ended: make(map[string]Use), running: make(map[*job]struct{})}
}

// Begin counts a job at the price of a second until end is called, when no more is charged. end is idempotent.
func (t *Tally) Begin(capability string, price pm.Price, charged func() int64) (end func()) {
	j := &job{capability, price, charged}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[j] = struct{}{}
	return sync.OnceFunc(func() { t.finish(j) })
}

func (t *Tally) finish(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, j)
	if _, known := t.ended[j.capability]; !known && len(t.ended) >= maxTallies {
		for other := range t.ended {
			delete(t.ended, other)
			break
		}
	}
	t.ended[j.capability] = t.ended[j.capability].with(j)
}

// with adds a job.
func (u Use) with(j *job) Use {
	n := j.charged()
	return Use{Jobs: u.Jobs + 1, Seconds: u.Seconds + n, Earned: u.Earned.Add(j.price.Of(n))}
}

// All returns the use by capability.
func (t *Tally) All() map[string]Use {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make(map[string]Use, len(t.ended))
	for name, u := range t.ended {
		all[name] = u
	}
	for j := range t.running {
		all[j.capability] = all[j.capability].with(j)
	}
	return all
}
