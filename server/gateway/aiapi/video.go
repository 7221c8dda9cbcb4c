package aiapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// makeVideo serves image-to-video. A client that prefers not to wait gets the name
// of its job and asks for the result later.
func (x *exchange) makeVideo() error {
	if !prefers(x.r, "respond-async") {
		return x.makeMedia()
	}
	in, err := x.takeForm()
	if err != nil {
		return err
	}
	// What is wrong with the request itself is told at once.
	job, err := x.prepare(x.r.Context(), in)
	if err != nil {
		return err
	}
	id, err := x.f.async.start(x.client(), x.successor(job))
	if err != nil {
		return err
	}
	// The key's grant and the memory are the successor's from here on.
	x.grant, x.held, x.detached = nil, 0, true
	x.w.Header().Set("Preference-Applied", "respond-async")
	x.sendJSON(http.StatusAccepted, struct {
		RequestID string `json:"request_id"`
	}{id})
	return nil
}

// videoResult answers a client that asks for its job.
func (x *exchange) videoResult() error {
	b, err := x.read()
	if err != nil {
		return err
	}
	var in struct {
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(b, &in) != nil || in.RequestID == "" {
		return fault.New(fault.RequestUnreadable, "find job", `the body must be {"request_id":"…"}`)
	}
	answer, done, ok := x.f.async.result(in.RequestID)
	if !ok {
		return fault.New(fault.ResultGone, "find job", "no job of this request_id is known any more")
	}
	type reply struct {
		Status string          `json:"status"`
		Result json.RawMessage `json:"result,omitempty"`
	}
	if !done {
		x.sendJSON(http.StatusAccepted, reply{Status: "processing"})
		return nil
	}
	x.sendJSON(http.StatusOK, reply{"complete", answer})
	return nil
}

// successor is an exchange that goes on with a job that nobody waits for, for as
// long as such a job may run.
func (x *exchange) successor(job *inference.Job) func(context.Context) json.RawMessage {
	f, rt, grant, held, figures := x.f, x.route, x.grant, x.held, x.figures
	r := x.r.Clone(context.Background())
	r.Header.Set(requestIDHeader, x.id)
	return func(ctx context.Context) (answer json.RawMessage) {
		y := f.begin(&nobody{header: make(http.Header)}, r.WithContext(ctx), rt)
		y.grant, y.held, y.figures = grant, held, figures
		defer y.finish()
		ctx, cancel := context.WithTimeout(ctx, asyncTime)
		defer cancel()
		defer func() {
			// Unlike a server's handlers nothing else keeps a defect from ending the node.
			if p := recover(); p != nil {
				y.err = fault.Wrap(fault.Unexpected, "make video", fmt.Errorf("%v", p))
			}
			if y.err != nil {
				y.err = asyncFault(ctx, y.err)
				object, _ := objectOf(y.err)
				answer, _ = json.Marshal(errorBody{object}) // strings cannot fail
			}
		}()
		if y.err = f.enter(); y.err == nil {
			y.entered = true
			answer, y.err = y.video(ctx, job)
		}
		return answer
	}
}

// asyncFault is why a job failed: its time was over, or err.
func asyncFault(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &fault.Fault{Code: fault.DeadlineExceeded, Op: "make video", Detail: "the job was not done within " + asyncTime.String(), Err: err}
}

// video makes a video and keeps it; the answer names it.
func (x *exchange) video(ctx context.Context, job *inference.Job) (json.RawMessage, error) {
	m, err := x.make(ctx, job)
	if errors.Is(err, errRefused) {
		return x.w.(*nobody).body, nil
	}
	if err != nil {
		return nil, err
	}
	if m.rest() > maxKept {
		return nil, fault.New(fault.AnswerUnreadable, "keep answer", "beside its results the answer is over "+bytesText(maxKept))
	}
	answer, err := x.keepResults(m)
	if err != nil {
		return nil, err
	}
	x.answered, x.figures.Status = true, http.StatusOK
	return answer, nil
}

// nobody is a client that waits for no answer.
type nobody struct {
	header http.Header
	body   []byte
}

// Header is the answer's.
func (n *nobody) Header() http.Header { return n.header }

// Write keeps the answer.
func (n *nobody) Write(b []byte) (int, error) {
	n.body = append(n.body, b...)
	return len(b), nil
}

// WriteHeader changes nothing.
func (n *nobody) WriteHeader(int) {}
