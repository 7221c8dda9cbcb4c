package manager

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// retryElsewhere tries another runner of the model if one refused the job, which may be
// its own mistake, or was lost before its answer began. Each job has one retry; if it fails
// too, the first result stands.
func (s *slot) again(
	ctx context.Context, job *inference.Job, reply *inference.Reply, err error,
) (*inference.Reply, error) {
	refused := inference.IsRefusal(reply, err)
	if !refused && !gone(err) || ctx.Err() != nil {
		return reply, err
	}
	first := s.at
	// A runner that accepts jobs and sends nothing may still answer its probes.
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

// runnerGone reports whether the runner was unreachable or stalled before its answer began.
func gone(err error) bool {
	return errors.Is(err, fault.RunnerUnreachable) || errors.Is(err, fault.RunnerStalled)
}

// refused records that a runner refused a job of an operation, and reports whether it has
// earlier refusals that no other runner confirmed.
func (p *pool) refused(m *member, op inference.Operation) (doubted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	doubted = m.refusals.Count(op) > 0
	m.refusals.Refused(p.now(), op)
	return doubted
}

// confirmed removes one refusal of each: the runners agree that the job was at fault.
func (p *pool) confirmed(op inference.Operation, all ...*member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range all {
		m.refusals.Confirmed(op)
	}
}
