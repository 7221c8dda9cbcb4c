package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	streamType = "text/event-stream"
	jsonType   = "application/json"
	// textNoCapacity is the network's text for a worker whose capacity is used up.
	textNoCapacity = "no workers can process job requested"
	// slotWait is how long to wait for a slot that should be free.
	slotWait = 500 * time.Millisecond
	// maxAnswer bounds an answer that is read as a whole.
	maxAnswer = 256 << 20
	// maxRunnerError bounds a runner's error text.
	maxRunnerError = 64 << 10
)

// runNetworkJob runs a job of an orchestrator of the network.
func (w *aiWork) runNetworkJob(ctx context.Context, t *networkTask, data *rpc.AIJobData) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := t.read(ctx, data); err != nil {
		t.fail(ctx, err)
		return
	}
	slot, err := t.reserve(ctx)
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
	if err := t.answer(ctx, reply); err != nil {
		t.fail(ctx, err)
	}
}

// networkTask is a job of an orchestrator of the network.
type networkTask struct {
	aiTask
	req *pipeline.Request
}

// read parses the request into a job.
func (t *networkTask) read(ctx context.Context, data *rpc.AIJobData) error {
	id, err := capability.FromPipeline(data.GetPipeline())
	p, known := pipeline.Lookup(id)
	if err != nil || !known {
		return fault.New(fault.AIJobGarbled, opJob, "unknown pipeline")
	}
	t.job.Model.Capability = id
	in, err := readRequestData(data.GetRequestData())
	if err != nil {
		return err
	}
	body, contentType := []byte(in.Request), jsonType
	var op inference.Operation
	if p.Capability == capability.LLM {
		op = inference.Chat
	}
	if p.Form == pipeline.Multipart {
		file, held, err := t.w.input(ctx, t.from.Origin(), in.InputURL)
		if err != nil {
			return err
		}
		// Next to the file there is the form with it.
		t.held += held
		if err := t.bookMemory(int64(len(file))); err != nil {
			return err
		}
		if body, contentType, err = buildForm(p.File, file, in.Request); err != nil {
			return err
		}
	}
	if t.req, err = pipeline.Decode(id, op, contentType, body); err != nil {
		return err
	}
	t.job = t.req.Job(contentType, body, "")
	return nil
}

// reserve reserves a slot. The orchestrator counts its jobs; if no slot is free all the
// same, another worker is better than a queue here.
func (t *networkTask) reserve(ctx context.Context) (inference.Slot, error) {
	models := t.w.opt.Models
	for _, s := range models.Models() {
		if s.Model == t.job.Model && s.State == inference.Ready {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, slotWait)
			defer cancel()
		}
	}
	return models.Reserve(ctx, t.job.Model, t.payer())
}

// fail posts why there is no answer, in the texts that the network compares.
func (t *networkTask) fail(ctx context.Context, err error) {
	text := inference.NetworkText(t.job.Model.Capability, fault.Wire(err))
	switch class := fault.ClassOf(err); {
	case class == fault.Busy || fault.CodeOf(err) == fault.DeadlineExceeded:
		text = textNoCapacity
	case class == fault.BadRequest && !strings.Contains(text, "returned 400"):
		body, _ := json.Marshal(map[string]string{"message": text})
		text = inference.ContainerText(t.job.Model.Capability, http.StatusBadRequest, body)
	}
	t.postText(ctx, fault.CodeOf(err), text)
	t.logFailed(err)
}

func (t *networkTask) logFailed(err error) {
	if others, ok := t.line(); ok {
		t.w.opt.Log.Warn("AI job failed", "orchestrator", t.from.Addr(), "model", t.job.Model.String(), "others", others,
			fault.Attr(err))
	}
}

// whole reads an answer to its end. Its memory is booked until the task ends, and as much again
// for the form that it goes out in.
func (t *networkTask) whole(reply *inference.Reply) ([]byte, error) {
	text, held, err := t.w.requests.ReadAll(reply.Body, reply.Length, maxAnswer)
	switch {
	case errors.Is(err, remote.ErrTooLarge):
		return nil, fault.New(fault.ResponseUnusable, opJob, "the runner's answer is too large")
	case errors.Is(err, remote.ErrNoMemory):
		return nil, fault.New(fault.JobsFull, opJob, "the answers in progress fill the memory set aside for them")
	case err != nil:
		return nil, err
	}
	t.held += held
	return text, t.bookMemory(int64(len(text)))
}

// answer posts the runner's answer in the network's form.
func (t *networkTask) answer(ctx context.Context, reply *inference.Reply) error {
	id := t.job.Model.Capability
	if reply.Status >= 300 {
		text, err := io.ReadAll(io.LimitReader(reply.Body, maxRunnerError))
		if err != nil {
			return err
		}
		t.postText(ctx, fault.JobUnreadable, inference.ContainerText(id, reply.Status, text))
		return nil
	}
	if strings.HasPrefix(reply.ContentType, streamType) {
		t.stream(ctx, reply)
		return nil
	}
	text, err := t.whole(reply)
	if err != nil {
		return err
	}
	if id == capability.LLM {
		if text, err = pipeline.NetworkAnswer(text, t.job.Model.ID, randomHex(t.w.opt.Random), t.w.opt.Now()); err != nil {
			return fault.Wrap(fault.ResponseUnusable, opJob, err)
		}
	}
	files, text, err := t.media(ctx, text)
	if err != nil {
		return err
	}
	body, contentType, err := mixed(files, text)
	if err != nil {
		return fault.Wrap(fault.Unexpected, opJob, err)
	}
	t.handlePostError(ctx, t.from.Post(ctx, Result{
		Path: resultsPath, Task: t.id, Header: t.header(contentType), Length: int64(len(body)),
		Body: func() io.Reader { return bytes.NewReader(body) },
	}))
	return nil
}
