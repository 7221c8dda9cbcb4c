package transcoders

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// workerLate reports whether the end of the wait is the worker's fault: its time is over, or
// it gave no answer for that time over several callers with less time each.
func (x *sentSegment) workerLate(ctx context.Context, waited time.Duration) bool {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return false
	}
	limit := core.WorkDeadline(x.job.Duration)
	return context.Cause(ctx) == errLate || waited >= limit*3/4 || x.w.silentFor() >= limit
}

// late is the fault of a result that is late. A worker that has brought no other result since the segment was sent
// is lost.
func (x *sentSegment) late(waited time.Duration) error {
	f := fault.New(fault.RemoteWorkerTimeout, opTranscode,
		fmt.Sprintf("%s gave no result within %v", x.w.name, waited.Round(time.Millisecond)))
	if x.w.id.IsTutti() && x.expected.arriving.Load() {
		// The worker is alive, and the segment made a large result.
		f.Err = fault.New(fault.TranscodeTimeout, opTranscode, "its result was on the way")
		return f
	}
	if x.w.id.IsTutti() && x.w.answerCount() != x.answersBefore {
		return f // the worker answers others; only this segment was lost
	}
	lost := fault.New(fault.RemoteWorkerLost, opTranscode, f.Detail)
	lost.Err = f
	x.w.markLost(lost)
	return f
}

// Close drops the worker; it may register again.
func (w *worker) Close() error {
	w.markLost(fault.New(fault.RemoteWorkerLost, "close device", w.name+" was dropped by this node"))
	return nil
}

// dropStuck drops a worker that does not read its messages.
func (w *worker) dropStuck() {
	w.mu.Lock()
	conn := w.stream.conn
	w.mu.Unlock()
	w.markLost(fault.New(fault.RemoteWorkerLost, "send to transcoder", w.name+" does not read what it is sent"))
	conn.Cut()
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
		w.s.refusals.LogArrival(slog.LevelInfo, "transcoder left", w.name, w.id.Addr)
		return
	}
	w.s.refusals.LogArrival(slog.LevelWarn, "transcoder lost", w.name, w.id.Addr, "segments", tasks, fault.Attr(f))
}

// loss is why the worker was lost.
func (w *worker) loss() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		return fault.New(fault.RemoteWorkerLost, opTranscode, w.name)
	}
	return w.lost
}
