package aiworkers

import (
	"time"

	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// onTheWay is how long a message may have been on its way when a connection breaks:
// longer ago it was confirmed, or the connection would have been given up before.
const onTheWay = 10 * time.Second

// errand is a job that a worker was given and whose answer has not begun.
type errand struct {
	note   *rpc.NotifyAIJob
	size   int
	at     time.Time
	letter *remote.Letter // guarded by Pool.mu
	// was says that an earlier letter with it was taken by a stream; guarded by Pool.mu.
	was bool
}

// send gives a worker a job; false when it takes nothing.
func (p *Pool) send(w *worker, e *errand) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.letter, ok = w.notes.Put(e.note, e.size); ok {
		w.errands[e] = struct{}{}
	}
	return ok
}

// settled forgets a job whose answer has begun, or that nobody waits for, and reports
// whether it may have reached the worker. Nothing of it is read any more after it.
func (p *Pool) settled(w *worker, e *errand) (sent bool) {
	p.mu.Lock()
	delete(w.errands, e)
	letter, was := e.letter, e.was
	p.mu.Unlock()
	letter.Withdraw()
	return was || w.notes.Out(letter)
}

// again sends what may have been lost with the connection of a worker that came back
// over another one. Jobs that it has got all the same it begins anew: nobody waits for
// the answer of the first. The caller holds mu.
func (p *Pool) again(w *worker) {
	now := p.opt.Now()
	for e := range w.errands {
		if now.Sub(e.at) > onTheWay {
			continue
		}
		e.letter.Withdraw()
		e.was = e.was || w.notes.Out(e.letter)
		if letter, ok := w.notes.Put(e.note, e.size); ok {
			e.letter = letter
		}
	}
}
