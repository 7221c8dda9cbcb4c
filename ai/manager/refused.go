package manager

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// again asks another runner of the model where one refused the job, which may be its own
// mistake, or where one is gone before its answer began. There is one further runner for
// each job; where it does not do the job either, the first outcome stands.
func (s *slot) again(ctx context.Context, job *inference.Job, reply *inference.Reply, err error) (*inference.Reply, error) {
	refused := inference.IsRefusal(reply, err)
	if !refused && !gone(err) || ctx.Err() != nil {
		return reply, err
	}
	first := s.at
	// One that takes jobs and says nothing may answer its probes: others are asked first too.
	doubted := s.model.pool.refused(first, job.Operation) && refused
	w := want{party: s.party, op: job.Operation, not: first}
	next, none := s.model.pool.pick(w)
	if none != nil && doubted {
		next, none = s.wait(ctx, w)
	}
	if none != nil {
		return reply, err
	}
	s.model.pool.put(first)
	s.at = next
	other, otherErr := s.ask(ctx, job)
	switch {
	case inference.IsRefusal(other, otherErr):
		s.model.pool.refused(next, job.Operation)
		s.model.pool.confirmed(job.Operation, first, next)
	case otherErr != nil && ctx.Err() == nil:
		return reply, err
	}
	return other, otherErr
}

// gone reports whether a job found its runner gone or stuck, and nothing of its answer came.
func gone(err error) bool {
	return errors.Is(err, fault.RunnerUnreachable) || errors.Is(err, fault.RunnerStalled)
}

// refused notes that a runner refused a job of an operation, and reports whether it had
// refused some before that no other one refused.
func (p *pool) refused(m *member, op inference.Operation) (doubted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	doubted = m.refusals.Count(op) > 0
	m.refusals.Refused(p.now(), op)
	return doubted
}

// confirmed takes a refusal by each of them back.
func (p *pool) confirmed(op inference.Operation, all ...*member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range all {
		m.refusals.Confirmed(op)
	}
}
