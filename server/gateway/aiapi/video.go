package aiapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// makeVideo serves image-to-video. A client that prefers an asynchronous answer gets a job ID and
// polls for the result.
func (x *relayedRequest) makeVideo() error {
	if !prefers(x.r, "respond-async") {
		return x.makeMedia()
	}
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	// Errors of the request itself are answered at once.
	job, err := x.prepare(x.r.Context(), in)
	if err != nil {
		return err
	}
	id, err := x.server.async.start(x.client(), x.asyncRun(job))
	if err != nil {
		return err
	}
	// From here on the background request owns the grant and the memory.
	x.grant, x.held, x.detached = nil, 0, true
	x.w.Header().Set("Preference-Applied", "respond-async")
	x.sendJSON(http.StatusAccepted, struct {
		RequestID string `json:"request_id"`
	}{id})
	return nil
}

// videoResult answers a client that polls for its job.
func (x *relayedRequest) videoResult() error {
	b, err := x.readBody()
	if err != nil {
		return err
	}
	var in struct {
		RequestID string `json:"request_id"`
	}
	if json.Unmarshal(b, &in) != nil || in.RequestID == "" {
		return fault.New(fault.RequestUnreadable, "find job", `the body must be {"request_id":"…"}`)
	}
	answer, done, ok := x.server.async.result(in.RequestID)
	if !ok {
		return fault.New(fault.ResultGone, "find job", "no job with this request_id, or its result has expired")
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

// asyncRun continues a job in the background with a request of its own, within asyncTimeout.
func (x *relayedRequest) asyncRun(job *inference.Job) func(context.Context) json.RawMessage {
	f, rt, grant, held, key, figures := x.server, x.route, x.grant, x.held, x.key, x.stats
	r := x.r.Clone(context.Background())
	r.Header.Set(rpc.RequestIDHeader, x.id)
	return func(ctx context.Context) (answer json.RawMessage) {
		y := f.newRequest(&bufferedResponse{header: make(http.Header)}, r.WithContext(ctx), rt)
		y.grant, y.held, y.key, y.stats = grant, held, key, figures
		y.stats.TraceID = y.span.TraceID()
		defer y.finish()
		ctx, cancel := context.WithTimeout(y.r.Context(), asyncTimeout)
		defer cancel()
		defer func() {
			// No server recovers panics here, so one would end the node.
			if p := recover(); p != nil {
				y.err = fault.Wrap(fault.Unexpected, "make video", fault.Recovered(p))
			}
			if y.err != nil {
				y.err = asyncFault(ctx, y.err)
				object, _ := errorObjectOf(y.err)
				answer, _ = json.Marshal(errorBody{object}) // strings cannot fail
			}
		}()
		if y.err = f.enter(); y.err == nil {
			y.entered = true
			answer, y.err = y.generateVideo(ctx, job)
		}
		return answer
	}
}

// asyncFault is the fault of a failed job: its timeout, or err.
func asyncFault(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &fault.Fault{Code: fault.DeadlineExceeded, Op: "make video", Detail: "the job did not finish within " +
		asyncTimeout.String(), Err: err}
}

// generateVideo makes a video and keeps it; the answer has its URL.
func (x *relayedRequest) generateVideo(ctx context.Context, job *inference.Job) (json.RawMessage, error) {
	m, err := x.generate(ctx, job, nil)
	if errors.Is(err, errRefused) {
		return x.w.(*bufferedResponse).body, nil
	}
	if err != nil {
		return nil, err
	}
	if m.sizeWithoutURLs() > maxAsyncAnswer {
		return nil, fault.New(fault.AnswerUnreadable, "keep answer",
			"without its results the answer is larger than "+inference.SizeText(maxAsyncAnswer))
	}
	answer, err := x.keepResults(m)
	if err != nil {
		return nil, err
	}
	x.complete, x.stats.Status = true, http.StatusOK
	return answer, nil
}

// bufferedResponse is a ResponseWriter that keeps the body.
type bufferedResponse struct {
	header http.Header
	body   []byte
}

// Header returns the response's header.
func (n *bufferedResponse) Header() http.Header { return n.header }

// Write keeps the body.
func (n *bufferedResponse) Write(b []byte) (int, error) {
	n.body = append(n.body, b...)
	return len(b), nil
}

// WriteHeader ignores the status.
func (n *bufferedResponse) WriteHeader(int) {}
