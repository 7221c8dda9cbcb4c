package aiworkers

import (
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/remote"
)

// holdTime is how long the place of one of our own workers is kept when its connection broke: it is
// back within a second or two, with its jobs.
const holdTime = 3 * time.Second

// awaitReconnect keeps a tutti worker registered whose connection broke, so that its jobs
// continue when it reconnects. Meanwhile it gets no new jobs. It returns when the worker is
// back, HoldTime is over, or the node stops.
func (p *Pool) awaitReconnect(w *worker, d *registrationStream) {
	if !p.markDisconnected(w, d) {
		return
	}
	timer := time.NewTimer(p.opt.HoldTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.ended:
	}
}

// markDisconnected marks a worker as disconnected if it can reconnect: a worker without an
// instance cannot be recognized, and a draining one without jobs does not come back.
func (p *Pool) markDisconnected(w *worker, d *registrationStream) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.stream != d || p.closed || !w.isTutti() || w.id.Instance == "" || w.draining && w.idle() {
		return false
	}
	w.disconnected = true
	p.refreshLocked(w)
	p.refusals.LogArrival(slog.LevelInfo, "connection of AI worker broke", w.name, w.id.Addr)
	return true
}

// findReplacedLocked finds the disconnected worker whose process a new one replaces, by name
// and machine: it does not come back.
func (p *Pool) findReplacedLocked(by remote.Identity) *worker {
	for _, w := range p.workers {
		if w.disconnected && by.IsTutti() && by.Name == w.id.Name && access.Host(by.Addr) == access.Host(w.id.Addr) {
			return w
		}
	}
	return nil
}
