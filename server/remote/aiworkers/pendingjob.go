package aiworkers

import (
	"time"

	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// onTheWay is how long a message may have been on its way when a connection breaks:
// longer ago it was confirmed, or the connection would have been given up before.
const resendWithin = 10 * time.Second

// errand is a job that a worker was given and whose answer has not begun.
type pendingJob struct {
	notification *rpc.NotifyAIJob
	size         int
	sentAt       time.Time
	message      *remote.Message // guarded by Pool.mu
	// was says that an earlier letter with it was taken by a stream; guarded by Pool.mu.
	sentBefore bool
}

// send gives a worker a job; false when it takes nothing.
func (p *Pool) sendJob(w *worker, e *pendingJob) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.message, ok = w.outbox.Put(e.notification, e.size); ok {
		w.pendingJobs[e] = struct{}{}
	}
	return ok
}

// settled forgets a job whose answer has begun, or that nobody waits for, and reports
// whether it may have reached the worker. Nothing of it is read any more after it.
func (p *Pool) settleJob(w *worker, e *pendingJob) (sent bool) {
	p.mu.Lock()
	delete(w.pendingJobs, e)
	letter, was := e.message, e.sentBefore
	p.mu.Unlock()
	letter.Withdraw()
	return was || w.outbox.Taken(letter)
}

// again sends what may have been lost with the connection of a worker that came back
// over another one. Jobs that it has got all the same it begins anew: nobody waits for
// the answer of the first. The caller holds mu.
func (p *Pool) resendPendingLocked(w *worker) {
	now := p.opt.Now()
	for e := range w.pendingJobs {
		if now.Sub(e.sentAt) > resendWithin {
			continue
		}
		e.message.Withdraw()
		e.sentBefore = e.sentBefore || w.outbox.Taken(e.message)
		if letter, ok := w.outbox.Put(e.notification, e.size); ok {
			e.message = letter
		}
	}
}
