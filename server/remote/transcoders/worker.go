package transcoders

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/server/remote"
)

// worker is one registered transcoder. It is a placement.Device.
type worker struct {
	s     *Service
	id    remote.Identity
	name  string
	box   *remote.Outbox
	since time.Time
	// spot names the place that it has; see remote.PlaceMetadata.
	spot string
	// gone is closed when it is lost, and left when its name is free again.
	gone, left chan struct{}

	// mu guards what follows.
	mu    sync.Mutex
	place placement.Attachment
	seat  *seat
	st    standing
	lost  *fault.Fault
	tasks int
	// owes is since when it owes a result, zero when it owes none; rest says that it had
	// answered then, and others waited.
	owes time.Time
	rest bool
	// answers counts results and failures that it has brought.
	answers int
	// errands are those that one of our own kind was told of.
	errands map[*errand]struct{}
}

// seat is one registration's stream. A worker of our own kind may take another one
// while it has the first.
type seat struct {
	line *remote.Line
	// base is where it reaches this node, "https://host:port".
	base string
	// stop is closed when nothing may be sent on it any more.
	stop chan struct{}
}

// standing is what a registration says that may change.
type standing struct {
	offer    placement.Offer
	draining bool
	devices  []WorkerDevice
}

// Device is the worker's name, unique in this node.
func (w *worker) Device() string { return w.name }

// Close drops the worker; it may register again.
func (w *worker) Close() error {
	w.lose(fault.New(fault.RemoteWorkerLost, "close device", w.name+" was dropped by this node"))
	return nil
}

// sit puts a further registration in the place of the one before. It is false when
// the worker was lost already.
func (w *worker) sit(next *seat, st standing) bool {
	w.mu.Lock()
	if w.lost != nil {
		w.mu.Unlock()
		return false
	}
	before := w.seat
	close(before.stop)
	w.seat, w.st = next, st
	if before.line.Addr() != next.line.Addr() {
		w.cutOff()
	}
	place := w.place
	w.mu.Unlock()
	place.Update(st.offer)
	if st.draining {
		place.Suspend(drains())
	} else {
		place.Resume()
	}
	return true
}

// cutOff fails what the worker was told on a connection that is no more: it opens
// another only after the one before, and nobody knows what of it arrived. What waits
// in the box goes out on the new one. The caller holds mu.
func (w *worker) cutOff() {
	for x := range w.errands {
		if w.box.Out(x.letter) {
			close(x.cut)
			delete(w.errands, x)
		}
	}
}

// holds reports whether a seat is the worker's present one.
func (w *worker) holds(s *seat) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seat == s
}

// lossOf says why a seat has ended, nil for one that was only replaced.
func (w *worker) lossOf(s *seat) *fault.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seat != s {
		return nil
	}
	return w.lost
}

// lose takes the worker away: its tasks fail with f, to be tried elsewhere, and its
// stream ends. Only the first call counts.
func (w *worker) lose(f *fault.Fault) {
	w.mu.Lock()
	if w.lost != nil {
		w.mu.Unlock()
		return
	}
	w.lost = f
	place, draining, tasks := w.place, w.st.draining, w.tasks
	close(w.seat.stop)
	close(w.gone)
	w.mu.Unlock()

	if place != nil {
		place.Detach()
	}
	w.box.Close()
	w.s.forget(w)
	close(w.left)
	expected := draining || fault.CodeOf(f) == fault.RemoteRegistration
	if !expected && w.id.Named {
		w.s.missing.lost(w.id.Name, f.Detail)
	}
	if !expected {
		w.s.opt.Recorder.WorkerRestarted(w.name, string(f.Code))
	}
	if expected && tasks == 0 {
		w.s.opt.Log.Info("transcoder left", "worker", w.name)
		return
	}
	w.s.opt.Log.Warn("transcoder lost", "worker", w.name, "segments", tasks, fault.Attr(f))
}

// EndSession tells the worker that a session is over. One that is gone has no
// sessions.
func (w *worker) EndSession(id core.SessionID) {
	if _, ok := w.box.Put(teardown(id), 0); !ok {
		w.stuck()
	}
}

// stuck drops a worker that lets messages pile up.
func (w *worker) stuck() {
	w.mu.Lock()
	line := w.seat.line
	w.mu.Unlock()
	w.lose(fault.New(fault.RemoteWorkerLost, "send to transcoder", w.name+" does not read what it is sent"))
	line.Cut()
}
