package worker

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	opJob        = "do an AI job"
	resultsPath  = "/aiResults"
	statusHeader = remote.StatusHeader
	workerHeader = remote.WorkerHeader
	// lostAnswer is the text of the failure for an answer that was not delivered.
	lostAnswer = "the answer was lost on its way"
	// answerTime bounds a job until its answer begins, as orchestrators do.
	answerTime = 15 * time.Minute
)

// Notify handles an orchestrator's notification: see worker.Work.
func (w *aiWork) Notify(from *Link, n *rpc.NotifyAIJob) {
	id := n.GetTaskId()
	switch {
	case n.GetCancel():
		from.Cancel(id)
	case n.GetRecheck():
		w.recheckLive(from, id)
	case isLive(n):
		w.startLive(from, n)
	case n.GetJob() != nil:
		t := &aiTask{w: w, from: from, id: id, job: readJob(n.GetJob()), party: from.Party(n.GetJob().GetParty())}
		parent := telemetry.ParseParent(n.GetJob().GetTraceparent(), n.GetJob().GetTracestate())
		run := func(ctx context.Context) {
			t.span(ctx, parent, func(ctx context.Context) { w.runJob(ctx, t, n.GetDeadlineMs()) })
		}
		w.start(from, t, len(t.job.Body), t.fail, run)
	case n.GetAIJobData() != nil:
		t := &networkTask{aiTask: aiTask{w: w, from: from, id: id, job: &inference.Job{}}}
		data := n.GetAIJobData()
		run := func(ctx context.Context) { w.runNetworkJob(ctx, t, data) }
		w.start(from, &t.aiTask, len(data.GetRequestData()), t.fail, run)
	}
}

// start runs a task whose request has size bytes, or fails it when the requests in progress leave
// no memory for it.
func (w *aiWork) start(
	from *Link, t *aiTask, size int, fail func(context.Context, error), run func(context.Context),
) {
	if err := t.bookMemory(int64(size)); err != nil {
		run = func(ctx context.Context) { fail(ctx, err) }
	}
	if !from.Start(t.id, func(ctx context.Context) { defer t.releaseMemory(); run(ctx) }) {
		t.releaseMemory()
	}
}

// bookMemory counts bytes of the task's request until releaseMemory.
func (t *aiTask) bookMemory(n int64) error {
	if !t.w.requests.Take(n) {
		return fault.New(fault.JobsFull, opJob, "the requests in progress fill the memory set aside for them")
	}
	t.held += n
	return nil
}

func (t *aiTask) releaseMemory() {
	t.w.requests.Release(t.held)
	t.held = 0
}

// poster posts answers to an orchestrator. It is a *worker.Link.
type poster interface {
	Addr() string
	Origin() Origin
	Post(ctx context.Context, r Result) error
}

// aiTask is one job in progress.
type aiTask struct {
	w    *aiWork
	from poster
	id   int64
	job  *inference.Job
	// party is whose job it is, as far as the orchestrator says; see payer.
	party string
	// held is how many bytes of its request are booked.
	held int64
}

// payer returns the party that the job counts for: all jobs of an orchestrator that names no parties
// count for that orchestrator.
func (t *aiTask) payer() string { return cmp.Or(t.party, t.from.Addr()) }

// readJob returns a job as tutti orchestrators send it.
func readJob(j *rpc.WorkerJob) *inference.Job {
	return &inference.Job{
		Model:     inference.Model{Capability: capability.ID(j.GetCapability()), ID: j.GetModelId()},
		Operation: inference.Operation(j.GetOperation()), Body: j.GetBody(), ContentType: j.GetContentType(),
		Stream: j.GetStream(), HideUsage: j.GetHideUsage(), MaxTokens: inference.Tokens(j.GetMaxTokens()),
		Units: inference.Units(j.GetUnits()), RequestID: j.GetRequestId(),
	}
}

// runJob runs a job of a tutti orchestrator and posts the runner's answer unchanged.
func (w *aiWork) runJob(ctx context.Context, t *aiTask, deadlineMs int64) {
	limit := answerTime
	if deadlineMs > 0 && deadlineMs < limit.Milliseconds() {
		limit = time.Duration(deadlineMs) * time.Millisecond
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(limit, cancel)
	slot, err := w.opt.Models.Reserve(ctx, t.job.Model, t.payer())
	if err != nil {
		t.fail(ctx, err)
		return
	}
	defer slot.Release()
	reply, err := slot.Run(ctx, t.job)
	if err != nil {
		t.fail(ctx, err)
		return
	}
	defer reply.Body.Close()
	late.Stop()
	h := t.header(reply.ContentType)
	h.Set(statusHeader, strconv.Itoa(reply.Status))
	if reply.Worker != "" {
		h.Set(workerHeader, reply.Worker)
	}
	span := telemetry.Current(ctx)
	span.Int(telemetry.HTTPStatus, int64(reply.Status))
	span.Text(telemetry.Worker, reply.Worker)
	t.post(ctx, h, reply.Length, reply.Body)
}

// header returns the headers of every answer.
func (t *aiTask) header(contentType string) http.Header {
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	h := http.Header{}
	h.Set("Content-Type", contentType)
	h.Set("Pipeline", t.job.Model.Capability.Pipeline())
	return h
}

// post posts an answer that can be read only once.
func (t *aiTask) post(ctx context.Context, h http.Header, length int64, body io.Reader) {
	t.handlePostError(ctx, t.from.Post(ctx, Result{
		Path: resultsPath, Task: t.id, Header: h, Length: length, Once: true, Body: func() io.Reader { return body },
	}))
}

// fail posts why there is no answer, unless the orchestrator canceled the job.
func (t *aiTask) fail(ctx context.Context, err error) {
	if fault.CodeOf(err) == fault.Canceled && ctx.Err() != nil {
		return
	}
	telemetry.Current(ctx).Fail(err)
	_, text := fault.Public(err)
	t.postText(ctx, fault.CodeOf(err), text)
	if others, ok := t.line(); ok {
		t.w.opt.Log.Warn("AI job failed", "orchestrator", t.from.Addr(), "model", t.job.Model.String(), "job",
			t.job.RequestID, "others", others, fault.Attr(err))
	}
}

// line reports whether the failure of the job gets a line in the log, and how many got none before.
func (t *aiTask) line() (others int, ok bool) { return t.w.failures.Allow(t.payer(), t.w.opt.Now()) }

// postText posts a text in place of an answer.
func (t *aiTask) postText(ctx context.Context, code fault.Code, text string) {
	h := t.header(rpc.AIWorkerErrorType)
	h.Set(rpc.CodeHeader, string(code))
	t.logUndelivered(ctx, t.from.Post(ctx, Result{
		Path: resultsPath, Task: t.id, Header: h, Length: int64(len(text)),
		Body: func() io.Reader { return strings.NewReader(text) },
	}))
}

// handlePostError reports an undelivered answer over a new connection, so that the
// orchestrator does not wait for it and can retry the job on another worker.
func (t *aiTask) handlePostError(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	t.logUndelivered(ctx, err)
	t.postText(ctx, fault.AIAnswerUndelivered, lostAnswer)
}

// logUndelivered logs, at debug level, that an answer was not accepted. Usually its gateway
// left; the orchestrator logs every other reason.
func (t *aiTask) logUndelivered(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	t.w.opt.Log.Debug("an AI answer was not taken", "orchestrator", t.from.Addr(), "model", t.job.Model.String(), "job",
		t.job.RequestID,
		fault.Attr(fault.Wrap(fault.AIAnswerUndelivered, "take an answer back", err)))
}
