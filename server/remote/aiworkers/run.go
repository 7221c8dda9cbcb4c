package aiworkers

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// maxTries bounds the workers that a job is given to, one after another.
	maxTries = 4
	// pause is how often a job that holds a slot of the model looks for a worker, while
	// those that can do it are taken by others; roomTime is how long it does so.
	pause    = 20 * time.Millisecond
	roomTime = 10 * time.Second
)

// Run sends the job to a worker: see inference.Slot. A worker that is lost before its
// answer began, or has no room after all, has another one tried.
func (s *slot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	reply, err := s.run(ctx, job)
	if err != nil {
		s.Release()
	}
	return reply, err
}

func (s *slot) run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	tried, want := make(map[*worker]bool), s.p.wanted(s.m, job)
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
			reply, err = s.again(ctx, job, want, e, reply, err)
		}
		if err == nil {
			s.p.did(s, want.op, reply)
			reply.Body = &returning{ReadCloser: reply.Body, s: s}
			return reply, nil
		}
		s.vacate()
		if ctx.Err() == nil && atFault(err) {
			e.w.tally.Failed()
		}
		if ctx.Err() != nil || !elsewhere(err) {
			return nil, err
		}
		last, tried[e.w] = err, true
		s.p.opt.Log.Warn("AI job is tried on another worker", "worker", e.w.name, "model", job.Model.String(), "job", job.RequestID, fault.Attr(err))
	}
	return nil, last
}

// atFault reports whether a job failed for its worker, not for the request or the queue.
func atFault(err error) bool {
	class := fault.CodeOf(err).Class()
	return class == fault.Internal || class == fault.Upstream
}

// elsewhere reports whether a job that did not begin may be given to another worker.
func elsewhere(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.AIWorkerLost || code == fault.AIWorkerSilent || code.Class() == fault.Busy
}

// pick finds a worker for a job that holds a slot. Where the worker whose slot it was went
// away, or those that can do the job are taken, it waits for one; nobody who comes later is
// before it, as it keeps what it holds. A job that gets none is ModelWaitOver: nobody has
// worked on it.
func (s *slot) pick(ctx context.Context, want wanted, tried map[*worker]bool) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, roomTime)
	defer cancel()
	for {
		e, err := s.p.pick(s.m, want, tried)
		if err == nil && !s.occupy(e) {
			s.p.put(e)
			return nil, fault.New(fault.ModelWaitOver, opRun, "the slot was given back")
		}
		if !errors.Is(err, errTaken) {
			return e, err
		}
		if err := wait(ctx, pause); err != nil {
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
