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
	// pause is how long a job waits that holds a slot of the model, while the workers
	// that can do it are taken by others.
	pause = 20 * time.Millisecond
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
	tried := make(map[*worker]bool)
	var last error
	for len(tried) < maxTries {
		e, err := s.pick(ctx, job, tried)
		if err != nil {
			if last != nil {
				err = last
			}
			return nil, err
		}
		reply, err := s.p.ask(ctx, e.w, job)
		if err == nil {
			reply.Body = &returning{ReadCloser: reply.Body, s: s}
			return reply, nil
		}
		s.vacate()
		if ctx.Err() != nil || !elsewhere(err) {
			return nil, err
		}
		last, tried[e.w] = err, true
		s.p.opt.Log.Warn("AI job is tried on another worker", "worker", e.w.name, "model", job.Model.String(), "job", job.RequestID, fault.Attr(err))
	}
	return nil, last
}

// elsewhere reports whether a job that did not begin may be given to another worker.
func elsewhere(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.AIWorkerLost || code.Class() == fault.Busy
}

// pick finds a worker for a job that holds a slot. Where the slot that it held went
// away with its worker, or those that can do the job are taken, it waits for one.
func (s *slot) pick(ctx context.Context, job *inference.Job, tried map[*worker]bool) (*entry, error) {
	for n := 0; ; n++ {
		e, err := s.p.pick(s.m, job.Operation, tried)
		if err == nil && !s.occupy(e) {
			s.p.put(e)
			return nil, fault.New(fault.Canceled, opRun, "the slot was given back")
		}
		if !errors.Is(err, errTaken) {
			return e, err
		}
		if n > 0 {
			if err := wait(ctx, pause); err != nil {
				return nil, fault.Wrap(fault.CodeOf(err), opRun, err)
			}
		}
		if err := s.again(ctx); err != nil {
			return nil, err
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
