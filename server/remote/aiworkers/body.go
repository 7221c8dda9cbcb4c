package aiworkers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
)

// body is an answer that is read as it comes from its worker.
type body struct {
	p      *Pool
	w      *worker
	a      *answer
	task   remote.TaskID
	ctx    context.Context
	model  inference.Model
	begun  time.Time
	forget func() bool
	// head was read before the answer was handed on.
	head []byte
	read int64
	// broken: the answer ended early, and not because its job was canceled.
	broken bool
	once   sync.Once
}

// peek waits for a stream's first bytes, so that a job whose worker is lost before them can
// be retried.
func (b *body) peek() error {
	head := make([]byte, 4<<10)
	n, err := 0, error(nil)
	for n == 0 && err == nil {
		n, err = b.fetch(head)
	}
	if n == 0 {
		if b.ctx.Err() != nil {
			return fault.Wrap(fault.CodeOf(b.ctx.Err()), opRun, b.ctx.Err())
		}
		return &fault.Fault{Code: fault.AIWorkerLost, Op: opRun, Detail: b.w.name, Err: err}
	}
	b.head = head[:n]
	return nil
}

// Read returns what has arrived. Its errors are faults.
func (b *body) Read(p []byte) (int, error) {
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	n, err := b.fetch(p)
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case b.ctx.Err() != nil:
		err = fault.Wrap(fault.CodeOf(b.ctx.Err()), opRun, b.ctx.Err())
	case errors.Is(err, errBehind):
		err = fault.Wrap(fault.Canceled, opRun, err)
	default:
		b.broken = true
		err = &fault.Fault{Code: fault.StreamBroken, Op: opRun, Detail: b.w.name + " broke off", Err: err}
	}
	return n, err
}

func (b *body) fetch(p []byte) (int, error) {
	n, err := b.a.read(p)
	if b.read += int64(n); b.read > maxStream {
		return 0, errEndless
	}
	return n, err
}

var errEndless = errors.New("an answer without end")

// Close ends the answer; the worker of an incomplete one is stopped.
func (b *body) Close() error {
	b.once.Do(func() {
		b.forget()
		b.a.end(false)
		b.count()
		b.p.mu.Lock()
		delete(b.w.answers, b.a)
		b.p.mu.Unlock()
	})
	return nil
}

// count counts the answer for its worker. A canceled job's answer does not count.
func (b *body) count() {
	switch complete := b.a.isComplete(); {
	case complete && b.a.status < http.StatusInternalServerError:
		b.w.tally.Done()
		b.record(b.p.opt.Now().Sub(b.begun), true)
	case complete:
		b.w.tally.Failed()
	case b.broken:
		b.w.tally.Failed()
		b.record(0, false)
	}
}

// record records the result. A live session's answer has none and lasts as long as the session.
func (b *body) record(took time.Duration, ok bool) {
	if !isLive(b.model) {
		b.p.opt.Recorder.ResultReceived(b.model, took, ok)
	}
}

// returning is an answer that gives its slot back when it is closed.
type returning struct {
	io.ReadCloser
	s *slot
}

// Close closes the answer.
func (r *returning) Close() error {
	err := r.ReadCloser.Close()
	r.s.Release()
	return err
}
