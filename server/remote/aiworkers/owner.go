package aiworkers

import (
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/remote"
)

// another reports whether an answer for a worker without an instance comes from where another
// worker is, and this one is not: ids of tasks can be guessed. An answer from where no worker is
// passes, because a way back through a proxy is nothing unusual.
func (p *Pool) another(id remote.TaskID, from string) bool {
	host := access.Host(from)
	p.mu.Lock()
	defer p.mu.Unlock()
	var owner *worker
	known := false
	for _, w := range p.workers {
		known = known || access.Host(w.id.Addr) == host
		for e := range w.pendingJobs {
			if e.notification.GetTaskId() == int64(id) {
				owner = w
			}
		}
	}
	return known && owner != nil && owner.id.Instance == "" && access.Host(owner.id.Addr) != host
}
