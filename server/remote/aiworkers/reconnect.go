package aiworkers

import (
	"net"
	"time"

	"github.com/tuttinode/tutti/server/remote"
)

// hold keeps the place of one of our own workers whose connection broke, so that its jobs
// go on when it is back over another. Meanwhile it gets nothing new. It returns when the
// worker is back, has been long enough away, or the node stops.
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

// holds marks a worker as away, where there is a place to keep: one without an instance
// would not be known again, and one that takes leave without jobs does not come back.
func (p *Pool) markDisconnected(w *worker, d *registrationStream) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.stream != d || p.closed || !w.isTutti() || w.id.Instance == "" || w.draining && w.idle() {
		return false
	}
	w.disconnected = true
	p.refreshLocked(w)
	p.opt.Log.Info("connection of AI worker broke", "worker", w.name, "addr", w.id.Addr)
	return true
}

// replaced finds the worker whose process a new one has taken the place of, by its name
// and machine: it does not come back. The caller holds mu.
func (p *Pool) findReplacedLocked(by remote.Identity) *worker {
	for _, w := range p.workers {
		if w.disconnected && by.IsTutti() && by.Name == w.id.Name && host(by.Addr) == host(w.id.Addr) {
			return w
		}
	}
	return nil
}

func host(addr string) string {
	h, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return h
}
