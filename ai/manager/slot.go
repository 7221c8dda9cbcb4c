package manager

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const opRun = "run an AI job"

// slot is a job's right to one of a model's runners. The least loaded runner is picked
// when the job runs.
type slot struct {
	model *model
	// party is the job's owner.
	party    string
	release  func()
	used     atomic.Bool
	released sync.Once
	// at is the runner of the job; it is set before another goroutine can call Release.
	at *member
	// lost is that of the runner when the job began.
	lost <-chan struct{}
}

// Run sends the job: see inference.Slot.
func (s *slot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	if !s.used.CompareAndSwap(false, true) {
		return nil, fault.New(fault.Unexpected, opRun, "a slot is for one job")
	}
	at, err := s.pick(ctx, pickRequest{party: s.party, op: job.Operation})
	if err != nil {
		s.Release()
		return nil, err
	}
	s.at = at
	job, release, err := s.prepare(ctx, job)
	if err != nil {
		s.Release()
		return nil, err
	}
	reply, err := s.send(ctx, job)
	if reply, err = s.retryElsewhere(ctx, job, reply, err); err != nil {
		release()
		s.Release()
		return nil, err
	}
	reply.Body = &body{
		ReadCloser: reply.Body, ctx: ctx, slot: s, release: release, forget: context.AfterFunc(ctx, s.Release),
	}
	return reply, nil
}

const (
	// pickInterval is how often a job looks for a runner while all that can do it are
	// fully used, pickTimeout for how long.
	pickInterval = 20 * time.Millisecond
	pickTimeout  = 10 * time.Second
)

// pick is pool.pick, and waits while only runners that cannot do the job are free.
func (s *slot) pick(ctx context.Context, w pickRequest) (*member, error) {
	at, err := s.model.pool.pick(w)
	if !errors.Is(err, errAllBusy) {
		return at, err
	}
	ctx, cancel := context.WithTimeout(ctx, pickTimeout)
	defer cancel()
	look := time.NewTicker(pickInterval)
	defer look.Stop()
	for errors.Is(err, errAllBusy) {
		select {
		case <-look.C:
			at, err = s.model.pool.pick(w)
		case <-ctx.Done():
			return nil, fault.Wrap(fault.ModelWaitOver, opRun, ctx.Err())
		}
	}
	return at, err
}

// send sends the job to the runner that was picked.
func (s *slot) send(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	at := s.at
	s.lost = s.model.pool.lifeOf(at)
	trying, attempt := s.model.pool.begin(ctx, at)
	reply, err := at.backend.Run(trying, job)
	if err != nil {
		attempt.end()
		if errors.Is(err, fault.RunnerBusy) {
			s.model.pool.runnerBusy(at, s.party, err)
		}
		if ctx.Err() == nil && blamesRunner(err) {
			at.jobFailed()
		}
		return nil, err
	}
	s.model.pool.worked(at, job.Operation, !inference.IsRefusal(reply, nil))
	reply.Worker = at.name
	reply.Body = &progressBody{reply.Body, attempt}
	return reply, nil
}

// blamesRunner reports whether a job's failure may be the runner's fault.
func blamesRunner(err error) bool {
	switch fault.ClassOf(err) {
	case fault.BadRequest, fault.Busy, fault.NotFound:
		return false
	}
	return true
}

// Release gives the slot back; only the first call counts.
func (s *slot) Release() {
	s.released.Do(func() {
		s.used.Store(true)
		if s.at != nil {
			s.model.pool.jobDone(s.at)
		}
		s.release()
	})
}

// body is an answer that releases its slot when it is closed, and requests a probe of
// the runner when it breaks off.
type body struct {
	io.ReadCloser
	ctx  context.Context
	slot *slot
	// release frees the request's memory.
	release func()
	forget  func() bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() == nil {
		b.slot.at.jobFailed()
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.forget()
	b.release()
	b.slot.Release()
	return err
}
