package ai

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
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

const (
	opJob        = "do an AI job"
	resultsPath  = "/aiResults"
	errorType    = "livepeer/ai-worker-error"
	statusHeader = remote.StatusHeader
	codeHeader   = remote.CodeHeader
	workerHeader = remote.WorkerHeader
	// lostAnswer is what an orchestrator hears of an answer that did not get through.
	lostAnswer = "the answer was lost on its way"
	// answerTime bounds a job until its answer begins, as orchestrators do.
	answerTime = 15 * time.Minute
)

// Notice acts on what an orchestrator sends: see worker.Work.
func (w *Work) Notice(from *worker.Link, n *rpc.NotifyAIJob) {
	id := n.GetTaskId()
	switch {
	case n.GetCancel():
		from.Cancel(id)
	case n.GetJob() != nil:
		t := &task{w: w, from: from, id: id, job: readJob(n.GetJob()), party: from.Party(n.GetJob().GetParty())}
		w.begin(from, t, len(t.job.Body), t.fail, func(ctx context.Context) { w.do(ctx, t, n.GetDeadlineMs()) })
	case n.GetAIJobData() != nil:
		t := &networkTask{task: task{w: w, from: from, id: id, job: &inference.Job{}}}
		data := n.GetAIJobData()
		w.begin(from, &t.task, len(data.GetRequestData()), t.fail, func(ctx context.Context) { w.doNetwork(ctx, t, data) })
	}
}

// begin does a task whose request has so many bytes, or fails it where those in hand leave
// no memory for it.
func (w *Work) begin(from *worker.Link, t *task, size int, fail func(context.Context, error), do func(context.Context)) {
	if err := t.hold(int64(size)); err != nil {
		do = func(ctx context.Context) { fail(ctx, err) }
	}
	if !from.Start(t.id, func(ctx context.Context) { defer t.drop(); do(ctx) }) {
		t.drop()
	}
}

// hold books bytes of the task's request until drop.
func (t *task) hold(n int64) error {
	if !t.w.requests.Take(n) {
		return fault.New(fault.JobsFull, opJob, "the requests in hand fill the memory set aside for them")
	}
	t.held += n
	return nil
}

func (t *task) drop() {
	t.w.requests.Give(t.held)
	t.held = 0
}

// poster takes answers to an orchestrator. It is a *worker.Link.
type poster interface {
	Addr() string
	Origin() worker.Origin
	Post(ctx context.Context, r worker.Result) error
}

// task is one job in hand.
type task struct {
	w    *Work
	from poster
	id   int64
	job  *inference.Job
	// party is whose job it is, as far as the orchestrator says; see holder.
	party string
	// held is how many bytes of its request are booked.
	held int64
}

// holder is who is held to account for the job: all jobs of an orchestrator that names no
// parties count as one's.
func (t *task) holder() string { return cmp.Or(t.party, t.from.Addr()) }

// readJob is a job as our own orchestrators send it.
func readJob(j *rpc.WorkerJob) *inference.Job {
	return &inference.Job{
		Model:     inference.Model{Capability: capability.ID(j.GetCapability()), ID: j.GetModelId()},
		Operation: inference.Operation(j.GetOperation()), Body: j.GetBody(), ContentType: j.GetContentType(),
		Stream: j.GetStream(), HideUsage: j.GetHideUsage(), MaxTokens: inference.Tokens(j.GetMaxTokens()),
		Units: inference.Units(j.GetUnits()), RequestID: j.GetRequestId(),
	}
}

// do does a job of one of our own orchestrators: the answer goes back as the runner
// gives it.
func (w *Work) do(ctx context.Context, t *task, deadlineMs int64) {
	limit := answerTime
	if deadlineMs > 0 && deadlineMs < limit.Milliseconds() {
		limit = time.Duration(deadlineMs) * time.Millisecond
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(limit, cancel)
	slot, err := w.opt.Models.Reserve(ctx, t.job.Model, t.holder())
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
	t.post(ctx, h, reply.Length, reply.Body)
}

// header is what every answer says of itself.
func (t *task) header(contentType string) http.Header {
	if contentType == "" {
		contentType = "application/octet-stream"
	}
	h := http.Header{}
	h.Set("Content-Type", contentType)
	h.Set("Pipeline", t.job.Model.Capability.Pipeline())
	return h
}

// post takes an answer back that can be read only once.
func (t *task) post(ctx context.Context, h http.Header, length int64, body io.Reader) {
	t.posted(ctx, t.from.Post(ctx, worker.Result{
		Path: resultsPath, Task: t.id, Header: h, Length: length, Once: true, Body: func() io.Reader { return body },
	}))
}

// fail tells why there is no answer. Who ended the job wants none.
func (t *task) fail(ctx context.Context, err error) {
	if fault.CodeOf(err) == fault.Canceled && ctx.Err() != nil {
		return
	}
	_, text := fault.Public(err)
	t.say(ctx, fault.CodeOf(err), text)
	t.w.opt.Log.Warn("AI job failed", "orchestrator", t.from.Addr(), "model", t.job.Model.String(), "job", t.job.RequestID, fault.Attr(err))
}

// say takes back a text in place of an answer.
func (t *task) say(ctx context.Context, code fault.Code, text string) {
	h := t.header(errorType)
	h.Set(codeHeader, string(code))
	t.unposted(ctx, t.from.Post(ctx, worker.Result{
		Path: resultsPath, Task: t.id, Header: h, Length: int64(len(text)), Body: func() io.Reader { return strings.NewReader(text) },
	}))
}

// posted sees to it that the orchestrator does not wait for an answer that was lost on
// its way: it hears of that, and can give the job to another worker. A connection that
// broke is replaced for it.
func (t *task) posted(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	t.unposted(ctx, err)
	t.say(ctx, fault.AIAnswerUndelivered, lostAnswer)
}

// unposted notes that an answer was not taken. As a rule its gateway has gone, which is no
// news, and the orchestrator tells of everything else.
func (t *task) unposted(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	t.w.opt.Log.Debug("an AI answer was not taken", "orchestrator", t.from.Addr(), "model", t.job.Model.String(), "job", t.job.RequestID,
		fault.Attr(fault.Wrap(fault.AIAnswerUndelivered, "take an answer back", err)))
}
