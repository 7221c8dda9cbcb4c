package broker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// defaultSilence is how long a job may bring no bytes before its orchestrator is checked.
	defaultSilence = 5 * time.Second
	// maxUnanswered is how many checks in a row an orchestrator may leave unanswered.
	maxUnanswered = 3
)

// silenceWatch checks the orchestrator of a job that brings no bytes, however long such a job may
// take: one that has stopped or cannot be reached will not finish it. The job then ends with the
// cause upstream.ErrFrozen.
type silenceWatch struct {
	b      *Broker
	s      *session
	terms  *upstream.Terms
	cancel context.CancelCauseFunc
	began  time.Time
	// lastProgress is when the last bytes arrived, since began: a clock that is set changes nothing.
	lastProgress atomic.Int64

	mu    sync.Mutex
	timer *time.Timer // guarded by mu
	over  bool        // guarded by mu
}

// watchSilence starts to watch a job, and returns the job's context. end must be called.
func (b *Broker) watchSilence(ctx context.Context, s *session) (context.Context, *silenceWatch) {
	ctx, cancel := context.WithCancelCause(ctx)
	q := &silenceWatch{b: b, s: s, terms: s.current(), cancel: cancel, began: b.opt.Now()}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.timer = time.AfterFunc(b.opt.Silence, q.check)
	return ctx, q
}

// progress records that bytes arrived.
func (q *silenceWatch) progress() { q.lastProgress.Store(int64(q.elapsed())) }

func (q *silenceWatch) elapsed() time.Duration { return q.b.opt.Now().Sub(q.began) }

// end ends the job and its watch.
func (q *silenceWatch) end() {
	q.mu.Lock()
	q.over = true
	q.timer.Stop()
	q.mu.Unlock()
	q.cancel(nil)
}

// jobError is the error of a job's attempt: JobLate where the watch canceled the job.
func (q *silenceWatch) jobError(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), upstream.ErrFrozen) && errors.Is(err, fault.Canceled) {
		return fault.Wrap(fault.JobLate, "send job", upstream.ErrFrozen)
	}
	return err
}

// check runs when bytes should have arrived.
func (q *silenceWatch) check() {
	lastProgress := q.lastProgress.Load()
	silence := q.elapsed() - time.Duration(lastProgress)
	if silence < q.b.opt.Silence {
		q.checkAfter(q.b.opt.Silence - silence)
		return
	}
	q.b.background(func() {
		switch silent := q.s.check(q.b, q.terms); {
		case q.lastProgress.Load() != lastProgress:
			q.checkAfter(q.b.opt.Silence)
		case silent >= maxUnanswered:
			q.cancel(upstream.ErrFrozen)
		case silent > 0:
			q.checkAfter(q.b.opt.Silence / 10)
		default:
			q.checkAfter(q.b.opt.Silence)
		}
	})
}

func (q *silenceWatch) checkAfter(d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.over {
		q.timer.Reset(d)
	}
}

// checks record whether an orchestrator answers. One check at a time serves all of its jobs.
type checks struct {
	mu sync.Mutex
	// last is when the last check ended, silent how many in a row were not answered.
	last   time.Time
	silent int
}

// check checks whether the orchestrator answers, unless that was done a moment ago, and returns how
// many checks in a row were not answered.
func (s *session) check(b *Broker, t *upstream.Terms) (silent int) {
	c := &s.checks
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.opt.Now().Sub(c.last) < b.opt.Silence/20 {
		return c.silent
	}
	if c.silent++; !b.opt.Client.Frozen(b.ctx, t, min(videorouting.DialTimeout, 3*b.opt.Silence)) {
		c.silent = 0
	}
	c.last = b.opt.Now()
	return c.silent
}
