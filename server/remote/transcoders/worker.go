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
	s      *Service
	id     remote.Identity
	name   string
	outbox *remote.Outbox
	since  time.Time
	// spot names the place that it has; see remote.PlaceMetadata.
	registrationID string
	// gone is closed when it is lost, and left when its name is free again.
	gone, removed chan struct{}

	// mu guards what follows.
	mu         sync.Mutex
	attachment placement.Attachment
	stream     *registrationStream
	state      registrationState
	lost       *fault.Fault
	tasks      int
	// owes is since when it owes a result, zero when it owes none; rest says that it had
	// answered then, and others waited.
	owesSince time.Time
	stillOwes bool
	// answers counts results and failures that it has brought.
	answers int
	// errands are those that one of our own kind was told of.
	segments map[*sentSegment]struct{}
}

// seat is one registration's stream. A worker of our own kind may take another one
// while it has the first.
type registrationStream struct {
	conn *remote.StreamConn
	// base is where it reaches this node, "https://host:port".
	baseURL string
	// stop is closed when nothing may be sent on it any more.
	stop chan struct{}
}

// standing is what a registration says that may change.
type registrationState struct {
	offer    placement.Offer
	draining bool
	devices  []WorkerDevice
}

// Device is the worker's name, unique in this node.
func (w *worker) Device() string { return w.name }

// Close drops the worker; it may register again.
func (w *worker) Close() error {
	w.markLost(fault.New(fault.RemoteWorkerLost, "close device", w.name+" was dropped by this node"))
	return nil
}

// sit puts a further registration in the place of the one before. It is false when
// the worker was lost already.
func (w *worker) replaceStream(next *registrationStream, state registrationState) bool {
	w.mu.Lock()
	if w.lost != nil {
		w.mu.Unlock()
		return false
	}
	before := w.stream
	close(before.stop)
	w.stream, w.state = next, state
	if before.conn.Addr() != next.conn.Addr() {
		w.failSentLocked()
	}
	attachment := w.attachment
	w.mu.Unlock()
	attachment.Update(state.offer)
	if state.draining {
		attachment.Suspend(drainFault())
	} else {
		attachment.Resume()
	}
	return true
}

// cutOff fails what the worker was told on a connection that is no more: it opens
// another only after the one before, and nobody knows what of it arrived. What waits
// in the box goes out on the new one. The caller holds mu.
func (w *worker) failSentLocked() {
	for x := range w.segments {
		if w.outbox.Taken(x.message) {
			close(x.connLost)
			delete(w.segments, x)
		}
	}
}

// holds reports whether a seat is the worker's present one.
func (w *worker) hasStream(s *registrationStream) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stream == s
}

// lossOf says why a seat has ended, nil for one that was only replaced.
func (w *worker) lossFor(s *registrationStream) *fault.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != s {
		return nil
	}
	return w.lost
}

// lose takes the worker away: its tasks fail with f, to be tried elsewhere, and its
// stream ends. Only the first call counts.
func (w *worker) markLost(f *fault.Fault) {
	w.mu.Lock()
	if w.lost != nil {
		w.mu.Unlock()
		return
	}
	w.lost = f
	attachment, draining, tasks := w.attachment, w.state.draining, w.tasks
	close(w.stream.stop)
	close(w.gone)
	w.mu.Unlock()

	if attachment != nil {
		attachment.Detach()
	}
	w.outbox.Close()
	w.s.removeWorker(w)
	close(w.removed)
	expected := draining || fault.CodeOf(f) == fault.RemoteRegistration
	if !expected && w.id.Named {
		w.s.missing.add(w.id.Name, f.Detail)
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
	if _, ok := w.outbox.Put(teardown(id), 0); !ok {
		w.dropStuck()
	}
}

// stuck drops a worker that lets messages pile up.
func (w *worker) dropStuck() {
	w.mu.Lock()
	conn := w.stream.conn
	w.mu.Unlock()
	w.markLost(fault.New(fault.RemoteWorkerLost, "send to transcoder", w.name+" does not read what it is sent"))
	conn.Cut()
}
