package worker

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// idleTime is how long a runner is waited for to become idle after its session.
	idleTime = 30 * time.Second
	// liveBeat is how often a session shows its orchestrator that it goes on.
	liveBeat = time.Second
	// endTime is how long the orchestrator may take to learn that a session is over.
	endTime = 5 * time.Second
)

// liveTask is a session of live video. Its answer begins when the runner has begun and ends when the runner
// is free again; in between it is a byte now and then. Media, parameters and events do not pass through the
// worker: the runner has the orchestrator's channels of this session.
type liveTask struct {
	aiTask
	link *Link
	// recheck has the runner asked whether it still works.
	recheck chan struct{}
}

// liveKey finds a session in progress.
type liveKey struct {
	link *Link
	id   int64
}

// startLive runs a session of live video.
func (w *aiWork) startLive(from *Link, n *rpc.NotifyAIJob) {
	t := &liveTask{link: from, recheck: make(chan struct{}, 1), aiTask: aiTask{
		w: w, from: from, id: n.GetTaskId(), job: readJob(n.GetJob()), party: from.Party(n.GetJob().GetParty()),
	}}
	parent := telemetry.ParseParent(n.GetJob().GetTraceparent(), n.GetJob().GetTracestate())
	limit := answerTime
	if ms := n.GetDeadlineMs(); ms > 0 && ms < limit.Milliseconds() {
		limit = time.Duration(ms) * time.Millisecond
	}
	w.start(from, &t.aiTask, len(t.job.Body), t.fail, func(ctx context.Context) {
		t.span(ctx, parent, func(ctx context.Context) { t.run(ctx, limit) })
	})
}

// recheckLive has the runner of a session asked whether it still works.
func (w *aiWork) recheckLive(from *Link, id int64) {
	if t, ok := w.live.Load(liveKey{from, id}); ok {
		select {
		case t.(*liveTask).recheck <- struct{}{}:
		default:
		}
	}
}

func (t *liveTask) run(ctx context.Context, limit time.Duration) {
	key := liveKey{t.link, t.id}
	t.w.live.Store(key, t)
	defer t.w.live.Delete(key)
	if err := t.readdress(); err != nil {
		t.fail(ctx, err)
		return
	}
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(limit, cancel)
	slot, err := t.w.opt.Live.Reserve(work, t.job.Model, t.payer())
	if err != nil {
		t.fail(ctx, err)
		return
	}
	defer slot.Release()
	reply, err := slot.Run(work, t.job)
	if err != nil {
		t.fail(ctx, err)
		return
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxRunnerError))
	if err == nil && !late.Stop() {
		err = fault.New(fault.ModelWaitOver, opJob, "the runner took too long to begin")
	}
	if err != nil {
		t.fail(ctx, err)
		return
	}
	h := t.header(reply.ContentType)
	h.Set(statusHeader, strconv.Itoa(reply.Status))
	h.Set(workerHeader, cmp.Or(reply.Worker, t.job.Model.ID))
	if reply.Status >= http.StatusMultipleChoices {
		t.post(ctx, h, int64(len(text)), bytes.NewReader(text))
		return
	}
	t.supervise(ctx, slot, reply.Body, h)
}

// readdress names the session's channels by the address at which this worker is registered. A runner gets no
// other address from an orchestrator, so none can lead it elsewhere.
func (t *liveTask) readdress() error {
	body, err := livevideo.Readdress(t.job.Body, "https://"+t.link.addr)
	if err != nil {
		return &fault.Fault{Code: fault.AIJobGarbled, Op: opJob, Detail: "no session of live video", Err: err}
	}
	t.job.Body = body
	return nil
}

// supervise holds a session until its runner, the orchestrator or this process ends it, and ends it for the others.
func (t *liveTask) supervise(ctx context.Context, slot inference.LongSlot, runner io.Closer, h http.Header) {
	posting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	beat, posted := newLiveAnswer(), make(chan struct{})
	go func() {
		defer close(posted)
		t.logUndelivered(posting, t.from.Post(posting, Result{
			Path: resultsPath, Task: t.id, Header: h, Length: -1, Once: true, Body: func() io.Reader { return beat },
		}))
	}()
	why := t.await(ctx, slot, posted)
	t.w.opt.Log.Info("live video session ended", "orchestrator", t.from.Addr(), "model", t.job.Model.String(),
		"job", t.job.RequestID, "reason", why)
	_ = runner.Close()
	idle, cancel := context.WithTimeout(t.link.base, idleTime)
	defer cancel()
	slot.AwaitIdle(idle)
	slot.Release()
	beat.finish()
	end := time.NewTimer(endTime)
	defer end.Stop()
	select {
	case <-posted:
	case <-end.C:
	case <-t.link.base.Done():
	}
	stop()
	<-posted
}

// await returns why a session ends.
func (t *liveTask) await(ctx context.Context, slot inference.LongSlot, posted <-chan struct{}) string {
	for {
		select {
		case <-slot.Lost():
			return "its runner was lost"
		case <-posted:
			return "the orchestrator is gone"
		case <-ctx.Done():
			if t.link.base.Err() != nil {
				return "the node stops"
			}
			return "the orchestrator ended it"
		case <-t.recheck:
			slot.Recheck()
		}
	}
}

// liveAnswer is the body of a session's answer: a byte at once and with each beat, until it is finished. The
// transport may read it after its request is over.
type liveAnswer struct {
	tick   *time.Ticker
	begun  bool
	over   chan struct{}
	finish func()
}

func newLiveAnswer() *liveAnswer {
	a := &liveAnswer{tick: time.NewTicker(liveBeat), over: make(chan struct{})}
	a.finish = sync.OnceFunc(func() { a.tick.Stop(); close(a.over) })
	return a
}

// Read waits for the next beat.
func (a *liveAnswer) Read(p []byte) (int, error) {
	if a.begun {
		select {
		case <-a.over:
			return 0, io.EOF
		case <-a.tick.C:
		}
	}
	a.begun = true
	return copy(p, "\n"), nil
}

// isLive reports whether a job is a session of live video.
func isLive(n *rpc.NotifyAIJob) bool {
	return n.GetJob().GetCapability() == uint32(capability.LiveVideoToVideo)
}
