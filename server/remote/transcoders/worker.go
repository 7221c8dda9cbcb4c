package transcoders

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

// worker is one registered transcoder. It is a device.Device.
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
	attachment device.Attachment
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
	offer    device.Resources
	draining bool
	devices  []WorkerDevice
}

// Device returns the worker's name, unique in this node.
func (w *worker) Device() string { return w.name }

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

// EndSession sends the worker the end of a session. A lost worker has no sessions.
func (w *worker) EndSession(id core.SessionID) {
	if _, ok := w.outbox.Put(teardown(id), 0); !ok {
		w.dropStuck()
	}
}
