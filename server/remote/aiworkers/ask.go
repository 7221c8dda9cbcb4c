package aiworkers

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// ask gives a job of a party to a worker and returns once its answer has begun. Faults are those
// of the job, AIWorkerLost, AIWorkerSilent, AIWorkerBusy, or what ctx ended.
func (p *Pool) ask(ctx context.Context, w *worker, job *inference.Job, party string) (*inference.Reply, error) {
	note, size, done, err := p.notification(w, job, party)
	if err != nil {
		return nil, err
	}
	defer done()
	task := p.tasks.Open(w.id.Instance)
	note.TaskId = int64(task.ID)
	e := &errand{note: note, size: size, at: p.opt.Now()}
	if !p.send(w, e) {
		task.Close()
		return nil, fault.New(fault.AIWorkerLost, opRun, w.name+" takes nothing")
	}
	a, err := p.await(ctx, w, task, p.patience(w, job))
	sent := p.settled(w, e)
	if err != nil && ctx.Err() != nil && !sent {
		// It has never left this node: nobody has worked on it.
		return nil, fault.Wrap(fault.ModelWaitOver, opRun, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return p.accept(ctx, w, a, job)
}

// patience is how long a worker may take to begin its answer.
func (p *Pool) patience(w *worker, job *inference.Job) time.Duration {
	if w.own() {
		return p.opt.Limits.Begin(job) + ownGrace
	}
	return p.opt.Limits.Whole
}

// await waits for a job's answer to begin. Who gives up tells the worker.
func (p *Pool) await(ctx context.Context, w *worker, task *remote.Task[*arrival], patience time.Duration) (*arrival, error) {
	limit := time.NewTimer(patience)
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
	case w.own():
		// One that is lost does not hear it.
		_, _ = w.notes.Put(&rpc.NotifyAIJob{TaskId: int64(task.ID), Cancel: true}, 0)
	case fault.CodeOf(err) == fault.AIWorkerSilent:
		// As in the network, one that does not answer is not trusted any more. It may
		// register again.
		p.mu.Lock()
		w.door.end()
		p.mu.Unlock()
	}
	return nil, err
}

// accept makes a reply of an answer that has begun. It belongs to the job from here
// on: when ctx ends, the worker is told at once.
func (p *Pool) accept(ctx context.Context, w *worker, a *arrival, job *inference.Job) (*inference.Reply, error) {
	if a.err != nil {
		return nil, a.err
	}
	p.mu.Lock()
	w.answers[a] = struct{}{}
	if w.gone() {
		a.hurry()
	}
	p.mu.Unlock()
	a.pause(p.opt.Limits.Silence + ownGrace)
	b := &body{p: p, w: w, a: a, ctx: ctx, model: job.Model, begun: p.opt.Now()}
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
