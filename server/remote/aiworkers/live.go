package aiworkers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// liveBegin is how long a worker may take to begin a session of live video: its gateway waits for five
	// seconds, in which another worker must be found too.
	liveBegin = 2 * time.Second
	// liveSilence is how long a worker may be silent in a session. It shows each second that it goes on.
	liveSilence = 5 * time.Second
)

func isLive(m inference.Model) bool { return m.Capability == capability.LiveVideoToVideo }

// begin returns how long a tutti worker may take to begin a job.
func (p *Pool) begin(job *inference.Job) time.Duration {
	if isLive(job.Model) {
		return liveBegin
	}
	return p.opt.Limits.Begin(job)
}

// pause returns how long the answer to a job may pause.
func (p *Pool) pause(job *inference.Job) time.Duration {
	if isLive(job.Model) {
		return liveSilence
	}
	return p.opt.Limits.Silence + ownGrace
}

// liveSlot is the right to one session of live video. Its answer lasts as long as the session at the worker,
// whose end is that of the answer.
type liveSlot struct {
	*slot
	tried map[*worker]bool
	// at is the worker's model.
	at *entry
	// body is the worker's answer, nil before it; lost is closed at its end.
	body *body
	lost chan struct{}
	// stop ends the answer.
	stop context.CancelFunc
}

var _ inference.RemoteSlot = (*liveSlot)(nil)

// Run gives the session to a worker that was not asked before.
func (s *liveSlot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	want := requirements{op: job.Operation}
	e, err := s.pick(ctx, want, s.tried)
	if err != nil {
		return nil, err
	}
	s.tried[e.w] = true
	work, stop := context.WithCancel(ctx)
	s.stop = stop
	reply, err := s.p.ask(work, e.w, job, s.party)
	if err != nil {
		stop()
		s.leaveEntry()
		if ctx.Err() == nil {
			s.failed(e, want.op, job, err)
		}
		return nil, err
	}
	if reply.Status >= http.StatusMultipleChoices {
		return reply, nil
	}
	s.p.recordDone(s.slot, want.op, reply)
	s.at, s.body = e, reply.Body.(*body)
	go s.follow()
	reply.Body, reply.Length = &liveBody{Reader: bytes.NewReader(nil), s: s}, 0
	return reply, nil
}

// failed counts and names a session that a worker did not begin.
func (s *liveSlot) failed(e *entry, op inference.Operation, job *inference.Job, err error) {
	s.p.refused(op, e)
	if isWorkerFault(err) {
		e.w.tally.Failed()
	}
	if others, ok := s.p.failures.Allow(s.party, s.p.opt.Now()); ok {
		s.p.opt.Log.Warn("AI worker did not begin a session of live video", "worker", e.w.name, "model", job.Model.String(),
			"job", job.RequestID, "others", others, fault.Attr(err))
	}
}

// follow reads the answer until the session has ended at the worker, or the worker is gone or silent.
func (s *liveSlot) follow() {
	_, _ = io.Copy(io.Discard, s.body)
	_ = s.body.Close()
	s.leaveEntry()
	close(s.lost)
}

// CanRetry reports whether another worker may begin what one did not: see inference.RemoteSlot.
func (s *liveSlot) CanRetry(err error) bool {
	if s.body != nil || len(s.tried) >= maxTries || !canRetryElsewhere(err) {
		return false
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	for _, e := range s.m.entries {
		if !s.tried[e.w] && e.ready() && e.busy < e.capacity() {
			return true
		}
	}
	return false
}

// Blame counts and names a session that the worker did not do: see inference.RemoteSlot.
func (s *liveSlot) Blame(why string) {
	s.p.refused("", s.at)
	s.body.w.tally.Failed()
	s.p.opt.Log.Warn("AI worker did not do its session of live video", "worker", s.body.w.name,
		"model", s.m.id.String(), "reason", why, fault.Attr(fault.New(fault.AIWorkerSilent, opRun, s.body.w.name)))
}

// Lost is closed when the session has ended at the worker: see inference.LongSlot.
func (s *liveSlot) Lost() <-chan struct{} { return s.lost }

// Recheck has the worker ask its runner: see inference.LongSlot.
func (s *liveSlot) Recheck() {
	_, _ = s.body.w.outbox.Put(&rpc.NotifyAIJob{TaskId: int64(s.body.task), Recheck: true}, 0)
}

// AwaitIdle ends the session at the worker and waits until its runner is free: see inference.LongSlot.
func (s *liveSlot) AwaitIdle(ctx context.Context) {
	s.cancel()
	select {
	case <-s.lost:
	case <-ctx.Done():
	}
}

// cancel ends the session at the worker. A worker that is lost does not get it.
func (s *liveSlot) cancel() {
	_, _ = s.body.w.outbox.Put(&rpc.NotifyAIJob{TaskId: int64(s.body.task), Cancel: true}, 0)
}

// liveBody is the answer of a session that has begun; its end is the session's.
type liveBody struct {
	io.Reader
	s *liveSlot
}

// Close ends the session at the worker.
func (b *liveBody) Close() error {
	select {
	case <-b.s.lost:
	default:
		b.s.cancel()
	}
	b.s.stop()
	<-b.s.lost
	return nil
}

// Release gives the slot back: see inference.Slot.
func (s *liveSlot) Release() {
	if s.stop != nil {
		s.stop()
	}
	s.slot.Release()
}
