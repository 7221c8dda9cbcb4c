package manager

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// maxPrepareWait is how long a job waits to be prepared, maxReturnWait how long it
	// then waits for a slot again.
	maxPrepareWait = 15 * time.Second
	maxReturnWait  = 15 * time.Second
)

// prepare returns the job as its runner gets it. If this needs other hosts, the job
// releases its slot meanwhile and takes another one afterwards: slow hosts that a client
// chose must not hold the model's slots. release frees the job's memory.
func (s *slot) prepare(ctx context.Context, job *inference.Job) (ready *inference.Job, release func(), err error) {
	m := s.at
	named, err := m.locate(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	if named.none() {
		return job, func() {}, nil
	}
	s.vacate()
	leave, err := s.waitPrepare(ctx)
	if err != nil {
		return nil, nil, err
	}
	ready, release, err = m.resolved(ctx, s.party, job, named)
	leave()
	if err != nil {
		return nil, nil, err
	}
	if err := s.reacquire(ctx, m, ready); err != nil {
		release()
		return nil, nil, err
	}
	return ready, release, nil
}

// vacate releases the slot; reacquire takes another one.
func (s *slot) vacate() {
	s.model.pool.jobDone(s.at)
	s.at = nil
	s.release()
	s.release = func() {}
}

// waitPrepare waits until the job may be prepared.
func (s *slot) waitPrepare(ctx context.Context) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, maxPrepareWait)
	defer cancel()
	leave, err = s.model.prepares.enter(waiting, s.party)
	if err != nil {
		if ctx.Err() == nil {
			return nil, fault.New(fault.JobsFull, "prepare a request",
				"too many requests name images or other addresses")
		}
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "prepare a request", ctx.Err())
	}
	return leave, nil
}

// reacquire takes a slot again. The runner may be another one with another URL policy.
func (s *slot) reacquire(ctx context.Context, before *member, job *inference.Job) error {
	waiting, cancel := context.WithTimeout(ctx, maxReturnWait)
	defer cancel()
	again, err := s.model.reserve(waiting, s.party)
	if err != nil {
		return err
	}
	s.release = again.release
	if s.at, err = s.pick(ctx, pickRequest{party: s.party, op: job.Operation}); err != nil {
		return err
	}
	if s.at.urls == before.urls {
		return nil
	}
	named, err := s.at.locate(ctx, job)
	if err == nil && !named.none() {
		err = fault.New(fault.ModelRunnerLost, opRun, s.model.id.String())
	}
	return err
}
