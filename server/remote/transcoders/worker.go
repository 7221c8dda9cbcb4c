package transcoders

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/deviceport"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

// worker is one registered transcoder. It is a deviceport.Device.
type worker struct {
	s      *Service
	id     remote.Identity
	name   string
	outbox *remote.Outbox
	since  time.Time
	// registrationID is sent to the worker; see remote.RegistrationMetadata.
	registrationID string
	// gone is closed when it is lost, removed when its name is free again.
	gone, removed chan struct{}

	// mu guards what follows.
	mu         sync.Mutex
	attachment deviceport.Attachment
	stream     *registrationStream
	state      registrationState
	lost       *fault.Fault
	tasks      int
	// owesSince is since when it owes a result, zero when it owes none; stillOwes: it had
	// answered at that time and owed other results.
	owesSince time.Time
	stillOwes bool
	// answers counts its results and failures.
	answers int
	// segments are those that were sent to a tutti worker.
	segments map[*sentSegment]struct{}
}

// registrationStream is one registration's stream. A tutti worker may open another one
// while it has the first.
type registrationStream struct {
	conn *remote.StreamConn
	// baseURL is this node's address for the worker, "https://host:port".
	baseURL string
	// stop is closed when no further message may be sent on it.
	stop chan struct{}
}

// registrationState is the part of a registration that may change.
type registrationState struct {
	offer    deviceport.Resources
	draining bool
	devices  []WorkerDevice
}

// Device returns the worker's name, unique in this node.
func (w *worker) Device() string { return w.name }

// Close drops the worker; it may register again.
func (w *worker) Close() error {
	w.markLost(fault.New(fault.RemoteWorkerLost, "close device", w.name+" was dropped by this node"))
	return nil
}

// replaceStream replaces the registration's stream by a further one. It is false when the
// worker was lost already.
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

// failSentLocked fails the segments that were sent on a lost connection, because it is
// unknown which of them arrived. Messages still in the outbox go out on the new connection.
func (w *worker) failSentLocked() {
	for x := range w.segments {
		if w.outbox.Taken(x.message) {
			close(x.connLost)
			delete(w.segments, x)
		}
	}
}

// hasStream reports whether a stream is the worker's current one.
func (w *worker) hasStream(s *registrationStream) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stream == s
}

// lossFor is why a stream has ended, nil for one that was only replaced.
func (w *worker) lossFor(s *registrationStream) *fault.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != s {
		return nil
	}
	return w.lost
}

// markLost removes the worker: its tasks fail with f and are retried elsewhere, and its
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

// EndSession sends the worker the end of a session. A lost worker has no sessions.
func (w *worker) EndSession(id core.SessionID) {
	if _, ok := w.outbox.Put(teardown(id), 0); !ok {
		w.dropStuck()
	}
}

// dropStuck drops a worker that does not read its messages.
func (w *worker) dropStuck() {
	w.mu.Lock()
	conn := w.stream.conn
	w.mu.Unlock()
	w.markLost(fault.New(fault.RemoteWorkerLost, "send to transcoder", w.name+" does not read what it is sent"))
	conn.Cut()
}
