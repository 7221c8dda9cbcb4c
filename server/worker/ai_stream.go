package worker

import (
	"context"
	"io"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
)

// stream takes a stream of events back to an orchestrator of the network. One that fails
// ends with an event that reports it, and the upload ends after it like any other: the
// orchestrator would take an upload that is reset for a worker that is gone.
func (t *networkTask) stream(ctx context.Context, reply *inference.Reply) {
	in := &upload{src: sse.NewReader(reply.Body, &sse.Network{Model: t.job.Model.ID})}
	t.post(ctx, t.header(streamType), -1, in)
	if err := in.failure(); err != nil && ctx.Err() == nil {
		t.logFailed(err)
	}
}

// upload is the body of a request that ends when its source does, for whatever reason.
// The transport may read it after its request is answered.
type upload struct {
	src io.Reader

	mu  sync.Mutex
	err error // why src ended too early
}

// Read returns what has arrived.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.src.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	u.mu.Lock()
	u.err = err
	u.mu.Unlock()
	return n, io.EOF
}

// failure is why the source ended too early, nil when it did not.
func (u *upload) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil || fault.CodeOf(u.err) != fault.Unexpected {
		return u.err
	}
	return fault.Wrap(fault.StreamBroken, opJob, u.err)
}
