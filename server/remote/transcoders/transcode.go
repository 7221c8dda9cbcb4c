package transcoders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const opTranscode = "transcode remotely"

// errLate says that the worker's own time for a segment is over.
var errLate = errors.New("no result in time")

// Transcode has the worker do a segment. A worker that does not answer in the
// network's time is dropped.
func (w *worker) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if len(job.Input) == 0 {
		return nil, fault.New(fault.EmptyData, opTranscode, "")
	}
	line, err := w.enter()
	if err != nil {
		return nil, err
	}
	defer w.exit()
	ctx, cancel := context.WithTimeoutCause(ctx, core.WorkDeadline(job.Duration), errLate)
	defer cancel()
	x := &errand{w: w, job: job, line: line, start: time.Now(), cut: make(chan struct{}), heard: w.heard()}
	defer x.end()
	if err := x.send(ctx); err != nil {
		return nil, err
	}
	return x.wait(ctx)
}

// enter counts a task in, and gives the address under which its worker reaches us.
func (w *worker) enter() (base string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return "", w.lost
	}
	if w.tasks++; w.owes.IsZero() {
		w.owes, w.rest = w.s.opt.Now(), false
	}
	return w.seat.base, nil
}

// answered notes a sign of life: whatever the worker still owes, it owes from now on.
func (w *worker) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers++
	if w.owes = (time.Time{}); w.tasks > 1 {
		w.owes, w.rest = w.s.opt.Now(), true
	}
}

// heard is how many answers the worker has given.
func (w *worker) heard() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answers
}

// forgive lets the worker off a result that nobody wants any more.
func (w *worker) forgive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == 1 {
		w.owes = time.Time{}
	}
}

// silent is for how long the worker has owed results and brought none.
func (w *worker) silent() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.s.opt.Now().Sub(w.owes)
}

func (w *worker) exit() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks--; w.tasks == 0 && w.rest {
		// Whatever it owed when it answered last is answered, or was given up.
		w.owes, w.rest = time.Time{}, false
	}
}

// errand is one segment on its way through a worker.
type errand struct {
	w     *worker
	job   *core.TranscodeJob
	line  string
	start time.Time

	task   *remote.Task[outcome]
	source *source
	letter *remote.Letter
	done   bool
	// cut is closed when the connection broke that the worker was told on. heard is how
	// many answers the worker had given before.
	cut   chan struct{}
	heard int
}

// send tells the worker of the segment.
func (x *errand) send(ctx context.Context) error {
	w, s := x.w, x.w.s
	x.task = s.tasks.Open(w.id.Instance)
	deadline, _ := ctx.Deadline()
	s.orders.put(x.task.ID, &order{job: x.job, worker: w, until: deadline})
	own := w.id.Own()
	n := notice(x.job, x.task.ID, s.origin(x.job))
	if own && len(x.job.Input) <= maxInline {
		n.Input = x.job.Input
	} else {
		var err error
		if x.source, err = s.sources.put(x.job.Input); err != nil {
			return fault.Wrap(fault.Unexpected, opTranscode, err)
		}
		n.Url = x.line + SourcePath + x.source.token
	}
	if own {
		n.Party = s.parties.Name(x.job.Party)
		// A part of the time is the answer's, so that one who gives up says so in time.
		n.DeadlineMs = max(1, time.Until(deadline).Milliseconds()*9/10)
	}
	if !w.tell(x, n) {
		w.stuck()
		return w.loss()
	}
	return nil
}

// tell puts an errand's notice into the box; false when it does not take it.
func (w *worker) tell(x *errand, n *rpc.NotifySegment) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x.letter, ok = w.box.Put(n, len(n.Input)); ok && w.id.Own() {
		w.errands[x] = struct{}{}
	}
	return ok
}

// wait is for the result.
func (x *errand) wait(ctx context.Context) (*core.TranscodeResult, error) {
	select {
	case out := <-x.task.Result():
		return x.take(out)
	case <-x.w.gone:
		return nil, x.w.loss()
	case <-x.cut:
		if x.task.Forsake() {
			return nil, fault.New(fault.RemoteWorkerLost, opTranscode, x.w.name+": the connection broke on which it was told of the segment")
		}
		x.cut = nil // its result is on its way in
		return x.wait(ctx)
	case <-ctx.Done():
	}
	waited := time.Since(x.start)
	if !x.late(ctx, waited) {
		if errors.Is(ctx.Err(), context.Canceled) {
			x.w.forgive()
		}
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), opTranscode, ctx.Err())
	}
	f := fault.New(fault.RemoteWorkerTimeout, opTranscode,
		fmt.Sprintf("%s gave no result within %v", x.w.name, waited.Round(time.Millisecond)))
	if x.w.id.Own() && x.w.heard() != x.heard {
		return nil, f // it works; this one went astray
	}
	lost := fault.New(fault.RemoteWorkerLost, opTranscode, f.Detail)
	lost.Err = f
	x.w.lose(lost)
	return nil, f
}

// late reports whether the end of the wait is the worker's fault: its time is over, or
// a caller with less time was one of several in a row that got nothing.
func (x *errand) late(ctx context.Context, waited time.Duration) bool {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false
	}
	limit := core.WorkDeadline(x.job.Duration)
	return context.Cause(ctx) == errLate || waited >= limit*3/4 || x.w.silent() >= limit
}

func (x *errand) take(out outcome) (*core.TranscodeResult, error) {
	x.done = true
	x.w.answered()
	x.w.s.budget.Give(out.held)
	return out.res, out.err
}

// end leaves nothing of the segment behind: its bytes are the caller's again.
func (x *errand) end() {
	s := x.w.s
	s.orders.drop(x.task.ID)
	x.w.over(x)
	if out, ok := x.task.Close(); ok {
		s.budget.Give(out.held)
	}
	if x.letter != nil {
		x.letter.Withdraw()
	}
	if x.source != nil {
		s.sources.drop(x.source)
	}
	if !x.done && x.letter != nil && x.w.id.Own() {
		// One that is gone, or reads nothing, needs not hear of it.
		_, _ = x.w.box.Put(cancellation(x.task.ID), 0)
	}
}

// over forgets an errand.
func (w *worker) over(x *errand) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.errands, x)
}

// loss is why the worker is gone.
func (w *worker) loss() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		return fault.New(fault.RemoteWorkerLost, opTranscode, w.name)
	}
	return w.lost
}
