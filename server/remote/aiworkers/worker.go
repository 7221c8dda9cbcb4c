package aiworkers

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
)

// worker is one registered worker. Fields that a further registration may change are
// guarded by Pool.mu.
type worker struct {
	id    remote.Identity
	name  string
	since time.Time
	// tally counts its jobs, and continues when it returns under its name.
	tally  *device.Tally
	outbox *remote.Outbox
	// base is the URL from which it fetches the inputs of jobs.
	base string
	// lost is closed when its last registration ended.
	lost chan struct{}
	// registrationID is sent to the worker; a changed id means that its jobs are lost.
	registrationID string

	version string
	// draining: it drains itself; operatorDrained: our operator drains it; disconnected: its
	// connection broke and it may reconnect.
	draining, operatorDrained, disconnected bool
	entries                                 map[inference.Model]*entry
	// nameReleased: another worker may have its name already.
	nameReleased bool
	// stream is the current registration stream.
	stream *registrationStream
	// answers are those in progress.
	answers map[*answer]struct{}
	// pendingJobs are the jobs whose answers have not begun.
	pendingJobs map[*pendingJob]struct{}
}

// isTutti reports whether it is a tutti worker.
func (w *worker) isTutti() bool { return w.id.IsTutti() }

// idle reports whether it has no job.
func (w *worker) idle() bool { return len(w.pendingJobs)+len(w.answers) == 0 }

// acceptsJobs reports whether it accepts new jobs.
func (w *worker) acceptsJobs() bool { return !w.draining && !w.operatorDrained && !w.disconnected }

// gone reports whether it was lost.
func (w *worker) gone() bool {
	select {
	case <-w.lost:
		return true
	default:
		return false
	}
}

// registrationStream is one registration's stream.
type registrationStream struct {
	// addr identifies its connection.
	addr  string
	ended chan struct{}
	once  sync.Once
}

func newRegistrationStream(addr string) *registrationStream {
	return &registrationStream{addr: addr, ended: make(chan struct{})}
}

// end ends the registration's stream without an error. It may be called again.
func (d *registrationStream) end() { d.once.Do(func() { close(d.ended) }) }
