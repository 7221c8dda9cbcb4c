package transcoders

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const opTranscode = "transcode remotely"

// errLate: the worker's time for a segment is over.
var errLate = errors.New("no result in time")

// Transcode runs a segment on the worker. A worker that does not answer within the
// network's deadline is dropped.
func (w *worker) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if len(job.Input) == 0 {
		return nil, fault.New(fault.EmptyData, opTranscode, "")
	}
	conn, err := w.beginTask()
	if err != nil {
		return nil, err
	}
	defer w.endTask()
	ctx, cancel := context.WithTimeoutCause(ctx, core.WorkDeadline(job.Duration), errLate)
	defer cancel()
	x := &sentSegment{w: w, job: job, baseURL: conn, start: time.Now(), connLost: make(chan struct{}),
		answersBefore: w.answerCount()}
	defer x.cleanUp()
	if err := x.send(ctx); err != nil {
		return nil, err
	}
	return x.wait(ctx)
}

// beginTask counts a task, and returns this node's address for the worker.
func (w *worker) beginTask() (base string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return "", w.lost
	}
	if w.tasks++; w.owesSince.IsZero() {
		w.owesSince, w.stillOwes = w.s.opt.Now(), false
	}
	return w.stream.baseURL, nil
}

// recordAnswer records an answer: what the worker still owes, it owes from now on.
func (w *worker) recordAnswer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers++
	if w.owesSince = (time.Time{}); w.tasks > 1 {
		w.owesSince, w.stillOwes = w.s.opt.Now(), true
	}
}

// answerCount returns how many answers the worker has given.
func (w *worker) answerCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answers
}

// excuseResult stops counting the time of a result that was canceled.
func (w *worker) excuseResult() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == 1 {
		w.owesSince = time.Time{}
	}
}

// silentFor returns for how long the worker has owed results without an answer.
func (w *worker) silentFor() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.s.opt.Now().Sub(w.owesSince)
}

func (w *worker) endTask() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks--; w.tasks == 0 && w.stillOwes {
		// All that it owed at its last answer is answered or canceled.
		w.owesSince, w.stillOwes = time.Time{}, false
	}
}

// sentSegment is one segment at a worker.
type sentSegment struct {
	w       *worker
	job     *core.TranscodeJob
	baseURL string
	start   time.Time

	task     *remote.Task[outcome]
	expected *expectedResult
	source   *source
	message  *remote.Message
	done     bool
	// connLost is closed when the connection broke on which it was sent. answersBefore is the
	// worker's number of answers before it.
	connLost      chan struct{}
	answersBefore int
}

// send queues the segment for the worker.
func (x *sentSegment) send(ctx context.Context) error {
	w, s := x.w, x.w.s
	x.task = s.tasks.Open(w.id.Instance)
	deadline, _ := ctx.Deadline()
	x.expected = &expectedResult{job: x.job, worker: w, until: deadline}
	s.expected.put(x.task.ID, x.expected)
	own := w.id.IsTutti()
	n := notification(x.job, x.task.ID, s.origin(x.job))
	if own && len(x.job.Input) <= maxInline {
		n.Input = x.job.Input
	} else {
		var err error
		if x.source, err = s.sources.put(x.job.Input); err != nil {
			return fault.Wrap(fault.Unexpected, opTranscode, err)
		}
		n.Url = x.baseURL + SourcePath + x.source.token
	}
	if own {
		n.Traceparent, n.Tracestate = telemetry.Headers(ctx)
		n.Party = s.parties.Name(x.job.Party)
		// Leave time for the reply, so that a worker that gives up can report it.
		n.DeadlineMs = max(1, time.Until(deadline).Milliseconds()*9/10)
	}
	if !w.queueSegment(x, n) {
		w.dropStuck()
		return w.loss()
	}
	return nil
}

// queueSegment puts a segment's notification into the outbox; false when that is full or
// closed.
func (w *worker) queueSegment(x *sentSegment, n *rpc.NotifySegment) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x.message, ok = w.outbox.Put(n, len(n.Input)); ok && w.id.IsTutti() {
		w.segments[x] = struct{}{}
	}
	return ok
}

// wait is for the result.
func (x *sentSegment) wait(ctx context.Context) (*core.TranscodeResult, error) {
	select {
	case out := <-x.task.Result():
		return x.takeOutcome(out)
	case <-x.w.gone:
		return nil, x.w.loss()
	case <-x.connLost:
		if x.task.Abandon() {
			return nil, fault.New(fault.RemoteWorkerLost, opTranscode,
				x.w.name+": the connection broke after the segment was sent")
		}
		x.connLost = nil // its result is being received
		return x.wait(ctx)
	case <-ctx.Done():
	}
	waited := time.Since(x.start)
	if !x.workerLate(ctx, waited) {
		if errors.Is(ctx.Err(), context.Canceled) {
			x.w.excuseResult()
		}
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), opTranscode, ctx.Err())
	}
	return nil, x.late(waited)
}

func (x *sentSegment) takeOutcome(out outcome) (*core.TranscodeResult, error) {
	x.done = true
	x.w.recordAnswer()
	x.w.s.budget.Release(out.held)
	return out.res, out.err
}

// cleanUp releases the segment: after it, its bytes are not read any more.
func (x *sentSegment) cleanUp() {
	s := x.w.s
	s.expected.drop(x.task.ID)
	x.w.removeSegment(x)
	if out, ok := x.task.Close(); ok {
		s.budget.Release(out.held)
	}
	if x.message != nil {
		x.message.Withdraw()
	}
	if x.source != nil {
		s.sources.drop(x.source)
	}
	if !x.done && x.message != nil && x.w.id.IsTutti() {
		// A lost worker needs no cancellation.
		_, _ = x.w.outbox.Put(cancellation(x.task.ID), 0)
	}
}

// removeSegment removes a sent segment.
func (w *worker) removeSegment(x *sentSegment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.segments, x)
}
