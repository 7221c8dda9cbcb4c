package gpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const opWatch = "watch GPUs"

// Run watches until ctx ends. It is ready with the first report, or after Options.Ready
// without one, so that a hanging driver does not block the node.
func (w *Watcher) Run(ctx context.Context, ready func()) error {
	if w.o.Selection.None() {
		ready()
		<-ctx.Done()
		return nil
	}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	soon, cancel := context.WithTimeout(ctx, w.o.Ready)
	defer cancel()
	waiting.Go(func() {
		w.Await(soon)
		if ctx.Err() == nil {
			ready()
		}
	})
	w.watch(ctx)
	return nil
}

// Find queries the GPUs once, for at most limit.
func Find(ctx context.Context, o Options, limit time.Duration) *Watcher {
	o.Board = nil
	w := New(o)
	if w.o.Selection.None() {
		return w
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	var running sync.WaitGroup
	running.Go(func() { w.watch(ctx) })
	if !w.Await(ctx) {
		w.fail(fault.New(fault.GPUWatchFailed, opWatch, fmt.Sprintf("the driver gave no answer within %s", limit)))
	}
	cancel()
	running.Wait()
	return w
}

// watch keeps a process running.
func (w *Watcher) watch(ctx context.Context) {
	first := w.o.Retry / 10
	backoff := first
	for ctx.Err() == nil {
		e := w.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		pause := e.pause
		if e.err != nil {
			if e.reported {
				backoff = first
			}
			pause, backoff = backoff, min(2*backoff, w.o.Retry)
			w.reportLost(e.err)
		}
		if !wait(ctx, pause, e.child) {
			return
		}
	}
}

// ending is how a process ended.
type ending struct {
	child *child
	// reported: it made at least one report.
	reported bool
	// err is its failure, nil when it reported why there are no devices, or must be replaced
	// by a process that queries again.
	err error
	// pause is how long to wait before the next, where err is nil.
	pause time.Duration
}

// wait waits for a pause, and for the end of the previous process.
func wait(ctx context.Context, pause time.Duration, before *child) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	if before == nil {
		return true
	}
	select {
	case <-before.gone:
		return true
	case <-ctx.Done():
		return false
	}
}

// reportLost reports that there are no reports.
func (w *Watcher) reportLost(err error) {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		f = fault.New(fault.GPUWatchFailed, opWatch, Plain(err.Error()))
	}
	w.fail(f)
	if w.o.Board != nil {
		w.o.Board.Set(health.Key{Code: f.Code}, f.Detail)
	}
}

// follow starts a process and reads its reports. The process may not have ended yet when it
// returns.
func (w *Watcher) follow(ctx context.Context) (e ending) {
	c, err := spawn(w.o)
	if err != nil {
		return ending{err: fmt.Errorf("start the process that asks the driver: %w", err)}
	}
	e.child = c
	defer func() {
		if !c.end() && e.err == nil {
			e.err = errors.New("the driver holds the process that asks it in the kernel")
		}
	}()
	started := w.o.Now()
	silence := time.NewTimer(w.o.First)
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return e
		case <-silence.C:
			e.err = errors.New("the driver does not answer")
			return e
		case l, ok := <-c.lines:
			if !ok {
				e.err = exitFault(c)
				return e
			}
			e.reported = true
			silence.Reset(w.o.Silence)
			v := w.takeReport(l)
			if l.Problem != nil {
				e.pause = w.o.Retry
				return e
			}
			// The driver's library does not see GPUs that come later; a new process does.
			if v.missing && w.o.Now().Sub(started) >= w.o.Retry {
				return e
			}
		}
	}
}

// errStatusZero stands for a process that ended without an error, though it was not asked to.
var errStatusZero = errors.New("exit status 0")

// exitFault is why there are no more reports; the process may not have ended yet.
func exitFault(c *child) error {
	if c.bad != nil {
		return fmt.Errorf("the process that asks the driver sent an %w", c.bad)
	}
	if !c.end() {
		return errors.New("the process that asks the driver closed its output and does not end")
	}
	status := cmp.Or(c.err, errStatusZero)
	if text := c.says.String(); text != "" {
		return fmt.Errorf("the process that asks the driver ended (%w): %s", status, text)
	}
	return fmt.Errorf("the process that asks the driver ended (%w)", status)
}

// takeReport processes one report.
func (w *Watcher) takeReport(l ReportLine) verdict {
	now := w.o.Now()
	v := w.host.classify(w.o.Selection, l)
	samples := make(map[device.UUID]device.Sample, len(v.present))
	for _, e := range l.Devices {
		for _, d := range v.present {
			if d.UUID == e.Device.UUID {
				samples[d.UUID] = w.history.complete(w.host, d, e.Sample, now)
			}
		}
	}
	w.setReport(v, samples)
	w.publish(v, samples, now)
	return v
}
