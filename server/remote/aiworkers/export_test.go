package aiworkers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// JoinParts is joinParts, for the fuzzer.
func JoinParts(text []byte, boundary string) ([]byte, error) { return joinParts(text, boundary) }

// NetworkRequest is networkRequest, for the fuzzer.
func NetworkRequest(job *inference.Job) (request, file []byte, err error) { return networkRequest(job) }

// Failure is failure, for the fuzzer.
var Failure = failure

// ReadRegistration is what is made of a registration: its models.
func ReadRegistration(req *rpc.RegisterAIWorkerRequest) ([]inference.ModelState, error) {
	r, err := readRegistration(req, remote.NewIdentity(req.GetNode(), req.GetWorker(), req.GetInstance(), "192.0.2.1:99"))
	if err != nil {
		return nil, err
	}
	return r.models, nil
}

// Through is a stream as a job reads it, in pieces of size bytes.
func Through(src io.Reader, size int) (text []byte, err error) {
	a := newStreamed(src, fairqueue.NewBudget(backlogBytes))
	a.accept("party")
	ended := make(chan struct{})
	go func() { defer close(ended); a.receive() }()
	defer func() { <-ended }()
	b := &body{p: &Pool{opt: Options{Now: time.Now, Recorder: inference.NopRecorder{}}},
		w: &worker{lost: make(chan struct{}),
			tally: new(device.Tally)}, a: a, ctx: context.Background(), forget: func() bool { return true }}
	defer b.Close()
	if err := b.peek(); err != nil {
		return nil, err
	}
	piece := make([]byte, max(1, size))
	for {
		n, err := b.Read(piece)
		text = append(text, piece[:n]...)
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}

// ReadMixed reads an answer with so much memory, and tells what is booked before and after
// it was done with.
func ReadMixed(text []byte, boundary string, memory int64) (held, after int64, err error) {
	p := &Pool{budget: remote.NewBudget(memory)}
	a, err := p.readMixed(&delivery{r: httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(text)),
		boundary: boundary})
	held = p.budget.Used()
	if err == nil {
		a.end(false)
	}
	return held, p.budget.Used(), err
}
