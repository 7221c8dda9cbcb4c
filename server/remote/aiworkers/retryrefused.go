package aiworkers

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// retryRefused asks another worker with a free slot about a job that one refused, which may be its own
// mistake. Where there is none, or it does not answer, the refusal stands.
func (s *slot) retryRefused(
	ctx context.Context, job *inference.Job, want requirements, first *entry, reply *inference.Reply, err error,
) (*inference.Reply, error) {
	if reply != nil {
		if broke := reply.ReadRefusal(); broke != nil {
			return nil, broke
		}
	}
	s.p.refused(want.op, first)
	next, none := s.p.pick(s.m, want, map[*worker]bool{first.w: true})
	if none != nil {
		return reply, err
	}
	s.leaveEntry()
	if !s.setEntry(next) {
		s.p.releaseEntry(next)
		return reply, err
	}
	other, otherErr := s.p.ask(ctx, next.w, job, s.party)
	switch {
	case inference.IsRefusal(other, otherErr):
		s.p.refused(want.op, next)
		s.p.confirmed(want.op, first, next)
	case otherErr != nil && ctx.Err() == nil:
		return reply, err
	}
	return other, otherErr
}

// refused records that a worker refused a job of an operation.
func (p *Pool) refused(op inference.Operation, e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.refusals.Refused(p.opt.Now(), op)
}

// confirmed takes back one refusal of each: the job itself is at fault.
func (p *Pool) confirmed(op inference.Operation, all ...*entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range all {
		e.refusals.Confirmed(op)
	}
}

// recordDone records that the worker of a slot does its job.
func (p *Pool) recordDone(s *slot, op inference.Operation, reply *inference.Reply) {
	if inference.IsRefusal(reply, nil) {
		return
	}
	s.mu.Lock()
	at := s.entry
	s.mu.Unlock()
	if at == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at.refusals.Served(op)
}
