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
func (s *slot) retryElsewhere(
	ctx context.Context, job *inference.Job, reply *inference.Reply, err error,
) (*inference.Reply, error) {
	refused := inference.IsRefusal(reply, err)
	if !refused && !runnerGone(err) || ctx.Err() != nil {
		return reply, err
	}
	first := s.at
	// A runner that accepts jobs and sends nothing may still answer its probes.
	flagged := s.model.pool.refused(first, job.Operation) && refused
	w := pickRequest{party: s.party, op: job.Operation, exclude: first}
	next, none := s.model.pool.pick(w)
	if none != nil && flagged {
		next, none = s.pick(ctx, w)
	}
	if none != nil {
		return reply, err
	}
	s.model.pool.jobDone(first)
	s.at = next
	other, otherErr := s.send(ctx, job)
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
func runnerGone(err error) bool {
	return errors.Is(err, fault.RunnerUnreachable) || errors.Is(err, fault.RunnerStalled)
}

// refused records that a runner refused a job of an operation, and reports whether it has
// earlier refusals that no other runner confirmed.
func (p *pool) refused(m *member, op inference.Operation) (flagged bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	flagged = m.refusals.Count(op) > 0
	m.refusals.Refused(p.now(), op)
	return flagged
}

// confirmed removes one refusal of each: the runners agree that the job was at fault.
func (p *pool) confirmed(op inference.Operation, all ...*member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range all {
		m.refusals.Confirmed(op)
	}
}
