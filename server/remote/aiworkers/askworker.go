package aiworkers

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// ask sends a job of a party to a worker and returns when its answer has begun. Faults are those
// of the job, AIWorkerLost, AIWorkerSilent, AIWorkerBusy, or the end of ctx.
func (p *Pool) ask(ctx context.Context, w *worker, job *inference.Job, party string) (*inference.Reply, error) {
	notification, size, done, err := p.notification(w, job, party)
	if err != nil {
		return nil, err
	}
	defer done()
	task := p.tasks.Open(w.id.Instance)
	notification.TaskId = int64(task.ID)
	if j := notification.GetJob(); j != nil {
		j.Traceparent, j.Tracestate = telemetry.Headers(ctx)
	}
	e := &pendingJob{notification: notification, size: size, sentAt: p.opt.Now()}
	if !p.sendJob(w, e) {
		task.Close()
		return nil, fault.New(fault.AIWorkerLost, opRun, w.name+" takes nothing")
	}
	a, err := p.await(ctx, w, task, p.answerTimeout(w, job))
	sent := p.settleJob(w, e)
	if err != nil && ctx.Err() != nil && !sent {
		// It never left this node, so no work was done.
		return nil, fault.Wrap(fault.ModelWaitOver, opRun, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return p.accept(ctx, w, task.ID, a, job, party)
}

// answerTimeout returns how long a worker may take to begin its answer.
func (p *Pool) answerTimeout(w *worker, job *inference.Job) time.Duration {
	switch {
	case isLive(job.Model):
		return liveBegin
	case w.isTutti():
		return p.begin(job) + ownGrace
	}
	return p.opt.Limits.Whole
}

// await waits for a job's answer to begin. If it gives up, it cancels the job at the worker.
func (p *Pool) await(
	ctx context.Context, w *worker, task *remote.Task[*answer], timeout time.Duration,
) (*answer, error) {
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	var err error
	select {
	case a := <-task.Result():
		task.Close()
		return a, nil
	case <-w.lost:
		err = fault.New(fault.AIWorkerLost, opRun, w.name)
	case <-ctx.Done():
		err = fault.Wrap(fault.CodeOf(ctx.Err()), opRun, ctx.Err())
	case <-limit.C:
		err = fault.New(fault.AIWorkerSilent, opRun, w.name)
	}
	if a, late := task.Close(); late {
		a.end(false)
	}
	switch {
	case w.isTutti():
		// A lost worker does not get it.
		_, _ = w.outbox.Put(&rpc.NotifyAIJob{TaskId: int64(task.ID), Cancel: true}, 0)
	case fault.CodeOf(err) == fault.AIWorkerSilent:
		// As in the network, a worker that does not answer is dropped. It may register again.
		p.mu.Lock()
		w.stream.end()
		p.mu.Unlock()
	}
	return nil, err
}

// accept makes the reply to a party's job of an answer in progress. When ctx ends, the worker's request
// ends at once.
func (p *Pool) accept(
	ctx context.Context, w *worker, task remote.TaskID, a *answer, job *inference.Job, party string,
) (*inference.Reply, error) {
	if a.err != nil {
		return nil, a.err
	}
	p.mu.Lock()
	w.answers[a] = struct{}{}
	if w.gone() {
		a.shortenStall()
	}
	p.mu.Unlock()
	a.limitPause(p.pause(job))
	a.accept(party)
	b := &body{p: p, w: w, a: a, task: task, ctx: ctx, model: job.Model, begun: p.opt.Now()}
	b.forget = context.AfterFunc(ctx, func() { a.end(false) })
	if job.Stream && a.status < 300 {
		if err := b.peek(); err != nil {
			_ = b.Close()
			return nil, err
		}
	}
	name := w.name
	if a.worker != "" {
		name += " " + a.worker
	}
	return &inference.Reply{Status: a.status, ContentType: a.contentType, Length: a.length, Body: b, Worker: name}, nil
}
