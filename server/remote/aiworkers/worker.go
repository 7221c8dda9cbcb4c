package aiworkers

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/server/remote"
)

// worker is one registered worker. What a further registration may change is guarded
// by Pool.mu.
type worker struct {
	id    remote.Identity
	name  string
	since time.Time
	// tally counts its jobs, and goes on when it comes back under its name.
	tally  *placement.Tally
	outbox *remote.Outbox
	// base is where it fetches the inputs of jobs from.
	base string
	// lost is closed when its last registration ended.
	lost chan struct{}
	// place names its place here to itself; a worker that gets another has lost its jobs.
	registrationID string

	version string
	// draining says that it takes leave itself, barred that our operator gives it nothing
	// new, away that its connection broke a moment ago.
	draining, operatorDrained, disconnected bool
	entries                                 map[inference.Model]*entry
	// nameless says that its name is another's already.
	nameReleased bool
	// door is the registration that holds at the moment.
	stream *registrationStream
	// answers are those that pass at the moment.
	answers map[*answer]struct{}
	// errands are the jobs whose answers have not begun.
	pendingJobs map[*pendingJob]struct{}
}

// own reports whether it is one of our own.
func (w *worker) isTutti() bool { return w.id.IsTutti() }

// idle reports whether it has no job.
func (w *worker) idle() bool { return len(w.pendingJobs)+len(w.answers) == 0 }

// takes reports whether it may be given jobs.
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

// door is one registration's stream.
type registrationStream struct {
	// addr tells its connection from others.
	addr  string
	ended chan struct{}
	once  sync.Once
}

func newRegistrationStream(addr string) *registrationStream {
	return &registrationStream{addr: addr, ended: make(chan struct{})}
}

// end makes the registration's stream end, without an error. It may be called again.
func (d *registrationStream) end() { d.once.Do(func() { close(d.ended) }) }
