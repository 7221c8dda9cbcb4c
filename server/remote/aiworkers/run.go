package aiworkers

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// maxTries bounds the workers that a job is tried on.
	maxTries = 4
	// retryPause is how often a job with a slot looks for a worker while all capable ones are
	// busy; maxWorkerWait is how long it does so.
	retryPause    = 20 * time.Millisecond
	maxWorkerWait = 10 * time.Second
)

// Run sends the job to a worker: see inference.Slot. If the worker is lost before its answer
// begins, or is busy after all, Run tries another one.
func (s *slot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	reply, err := s.run(ctx, job)
	if err != nil {
		s.Release()
	}
	return reply, err
}

func (s *slot) run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	tried, want := make(map[*worker]bool), s.p.requirementsOf(s.m, job)
	var last error
	for len(tried) < maxTries {
		e, err := s.pick(ctx, want, tried)
		if err != nil {
			if last != nil {
				err = last
			}
			return nil, err
		}
		reply, err := s.p.ask(ctx, e.w, job, s.party)
		if inference.IsRefusal(reply, err) {
			reply, err = s.retryRefused(ctx, job, want, e, reply, err)
		}
		if err == nil {
			s.p.recordDone(s, want.op, reply)
			reply.Body = &returning{ReadCloser: reply.Body, s: s}
			return reply, nil
		}
		s.leaveEntry()
		if ctx.Err() == nil && isWorkerFault(err) {
			e.w.tally.Failed()
		}
		if ctx.Err() != nil || !canRetryElsewhere(err) {
			return nil, err
		}
		last, tried[e.w] = err, true
		if others, ok := s.p.failures.Allow(s.party, s.p.opt.Now()); ok {
			s.p.opt.Log.Warn("AI job is tried on another worker", "worker", e.w.name, "model", job.Model.String(), "job",
				job.RequestID, "others", others, fault.Attr(err))
		}
	}
	return nil, last
}

// isWorkerFault reports whether a job failed for its worker, not for the request or the queue.
func isWorkerFault(err error) bool {
	class := fault.CodeOf(err).Class()
	return class == fault.Internal || class == fault.Upstream
}

// canRetryElsewhere reports whether a job that did not begin may go to another worker.
func canRetryElsewhere(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.AIWorkerLost || code == fault.AIWorkerSilent || code.Class() == fault.Busy
}

// pick finds a worker for a job with a slot. It waits while the worker of its slot is gone
// or all capable workers are busy; the job keeps its slot, so later jobs do not overtake it.
// Without a worker the fault is ModelWaitOver: no work was done.
func (s *slot) pick(ctx context.Context, want requirements, tried map[*worker]bool) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWorkerWait)
	defer cancel()
	for {
		e, err := s.p.pick(s.m, want, tried)
		if err == nil && !s.setEntry(e) {
			s.p.releaseEntry(e)
			return nil, fault.New(fault.ModelWaitOver, opRun, "the slot was released")
		}
		if !errors.Is(err, errAllBusy) {
			return e, err
		}
		if err := wait(ctx, retryPause); err != nil {
			return nil, s.p.refusal(s.m, fault.ModelWaitOver, err)
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
