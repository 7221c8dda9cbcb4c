package aiworkers

import (
	"time"

	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// resendWithin is how long a message may be in transit when a connection breaks. An older
// one was acknowledged, or the connection would have been closed before.
const resendWithin = 10 * time.Second

// pendingJob is a job that was sent to a worker and whose answer has not begun.
type pendingJob struct {
	notification *rpc.NotifyAIJob
	size         int
	sentAt       time.Time
	message      *remote.Message // guarded by Pool.mu
	// sentBefore: a stream took an earlier message of it; guarded by Pool.mu.
	sentBefore bool
}

// sendJob queues a job for a worker; false when its outbox is full or closed.
func (p *Pool) sendJob(w *worker, e *pendingJob) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.message, ok = w.outbox.Put(e.notification, e.size); ok {
		w.pendingJobs[e] = struct{}{}
	}
	return ok
}

// settleJob ends a pending job whose answer has begun or whose caller left, and reports
// whether it may have reached the worker. Its bytes are not read after this.
func (p *Pool) settleJob(w *worker, e *pendingJob) (sent bool) {
	p.mu.Lock()
	delete(w.pendingJobs, e)
	letter, was := e.message, e.sentBefore
	p.mu.Unlock()
	letter.Withdraw()
	return was || w.outbox.Taken(letter)
}

// resendPendingLocked sends again what may have been lost with the connection of a worker
// that reconnected. A job that had arrived is restarted; its first answer is dropped.
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
