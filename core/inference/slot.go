package inference

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// againWait bounds the wait for a second slot: a job whose worker was lost has used up part of its
// gateway's timeout.
const againWait = 10 * time.Second

// Reserve takes the first slot that is free anywhere: see inference.Worker.
func (f *Fleet) Reserve(ctx context.Context, model Model, party string) (Slot, error) {
	if len(f.members) == 1 {
		return f.members[0].Reserve(ctx, model, party)
	}
	a, err := f.seek(ctx, model, party, nil)
	if err != nil {
		return nil, err
	}
	return &slot{f: f, model: model, party: party, at: a}, nil
}

// slot is a job's right to run at one of the members.
type slot struct {
	f     *Fleet
	model Model
	party string

	mu   sync.Mutex
	at   answer // guarded by mu
	over bool   // guarded by mu
}

// Run sends the job: see inference.Slot. A job that could not begin because a worker was lost or
// cannot do it is tried at the other members, each once. A job that a member refuses is sent to one
// other member with a free slot, and refused if that one refuses it too.
func (s *slot) Run(ctx context.Context, job *Job) (*Reply, error) {
	tried := make(map[int]bool)
	at := s.current()
	for {
		reply, err := at.slot.Run(ctx, job)
		if IsRefusal(reply, err) && !otherMayServe(err) && ctx.Err() == nil {
			return s.secondOpinion(ctx, job, at, reply, err)
		}
		if err == nil || ctx.Err() != nil || !otherMayServe(err) {
			return reply, err
		}
		at.slot.Release()
		tried[at.member] = true
		next, gone := s.another(ctx, tried)
		if gone != nil {
			return nil, err
		}
		at = next
	}
}

// secondOpinion asks another member about a job that one refused. Without another one, or without
// its answer, the refusal stands.
func (s *slot) secondOpinion(ctx context.Context, job *Job, at answer, reply *Reply, err error) (
	*Reply, error,
) {
	if !s.f.free(s.model, at.member) {
		return reply, err
	}
	if reply != nil {
		if broke := reply.ReadRefusal(); broke != nil {
			return nil, broke
		}
	}
	at.slot.Release()
	next, none := s.another(ctx, map[int]bool{at.member: true})
	if none != nil {
		return reply, err
	}
	other, otherErr := next.slot.Run(ctx, job)
	if otherErr != nil && !IsRefusal(other, otherErr) && ctx.Err() == nil {
		return reply, err
	}
	return other, otherErr
}

func (s *slot) current() answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// another takes a slot of a member that was not tried.
func (s *slot) another(ctx context.Context, tried map[int]bool) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, againWait)
	defer cancel()
	next, err := s.f.seek(ctx, s.model, s.party, tried)
	if err != nil {
		return answer{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		next.slot.Release()
		return answer{}, fault.New(fault.Canceled, "run an AI job", "")
	}
	s.at = next
	return next, nil
}

// otherMayServe reports whether another member may succeed.
func otherMayServe(err error) bool {
	switch fault.CodeOf(err) {
	case fault.AIWorkerLost, fault.AIWorkerBusy, fault.OperationUnsupported, fault.ModelRunnerLost, fault.ModelNotServed,
		fault.ModelNotReady:
		return true
	}
	return false
}

// Release gives the slot back.
func (s *slot) Release() {
	s.mu.Lock()
	at := s.at
	s.over = true
	s.mu.Unlock()
	at.slot.Release()
}
