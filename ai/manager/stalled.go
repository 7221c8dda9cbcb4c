package manager

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// stalledAfter is how long a runner may answer neither probes nor jobs before its jobs
	// are ended.
	stalledAfter = 20 * time.Second
	// busyProbeAfter is how long a job must have run when a probe is sent for its answer to
	// show that the runner answers while it works.
	busyProbeAfter = time.Second
)

// attempt is a job at a runner.
type attempt struct {
	pool   *pool
	at     *member
	cancel context.CancelCauseFunc
	began  time.Time
	// lastByte is when a part of its answer last arrived, since began: a clock that is set changes nothing.
	lastByte atomic.Int64
}

// begin starts a job's attempt at a runner, and returns its context.
func (p *pool) begin(ctx context.Context, m *member) (context.Context, *attempt) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &attempt{pool: p, at: m, cancel: cancel, began: p.now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.attempts == nil {
		m.attempts = make(map[*attempt]struct{})
	}
	m.attempts[a] = struct{}{}
	return ctx, a
}

// end ends it. It may be called again.
func (a *attempt) end() {
	a.pool.mu.Lock()
	delete(a.at.attempts, a)
	a.pool.mu.Unlock()
	a.cancel(nil)
}

// probeAnswered records a runner's answer to a probe that was sent at asked.
func (p *pool) probeAnswered(m *member, kind backend.Kind, asked time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.lastAnswer = p.now()
	switch kind {
	case backend.LlamaCpp, backend.VLLM, backend.Ollama:
		m.answersWhileBusy = true
	}
	for a := range m.attempts {
		m.answersWhileBusy = m.answersWhileBusy || asked.Sub(a.began) >= busyProbeAfter
	}
}

// probeFailed records a failed probe. If the runner answers probes while it works, its
// jobs without progress are ended; other runners may not answer while a job runs.
func (p *pool) probeFailed(m *member, err error) {
	if !errors.Is(err, fault.RunnerStalled) && !errors.Is(err, context.DeadlineExceeded) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !m.answersWhileBusy || now.Sub(m.lastAnswer) < stalledAfter {
		return
	}
	for a := range m.attempts {
		if now.Sub(a.began)-time.Duration(a.lastByte.Load()) >= stalledAfter {
			a.cancel(fault.New(fault.RunnerStalled, opRun, "the runner answers neither the job nor its probes"))
		}
	}
}

// progressBody records when a part of the answer arrived.
type progressBody struct {
	io.ReadCloser
	a *attempt
}

// Read returns what has arrived.
func (b *progressBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.a.lastByte.Store(int64(b.a.pool.now().Sub(b.a.began)))
	}
	return n, err
}

// Close ends the answer and the attempt.
func (b *progressBody) Close() error {
	err := b.ReadCloser.Close()
	b.a.end()
	return err
}
