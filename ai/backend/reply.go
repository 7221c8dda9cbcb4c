package backend

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// answer is the body of a runner's answer; closing it ends the request at once.
type answer struct {
	server *Server
	// ctx ends with the job's, with Close and with a stall; its cause tells which.
	ctx    context.Context
	cancel context.CancelCauseFunc
	src    io.ReadCloser
	timer  *time.Timer
	// wait bounds the time to the next bytes. Servers may send an answer's header first and
	// its body at the end.
	wait time.Duration
	// end finds the end of an event stream, nil for other answers.
	end *eventEnd
	// head was read ahead.
	head []byte
	left int64
	err  error
	once sync.Once
}

// Read returns what has arrived. Its errors are faults.
func (a *answer) Read(p []byte) (int, error) {
	if len(a.head) > 0 {
		n := copy(p, a.head)
		if a.head = a.head[n:]; len(a.head) == 0 {
			a.head = nil
		}
		return n, nil
	}
	if a.err == nil && a.end != nil && a.end.done {
		a.finish()
		a.err = io.EOF
	}
	if a.err != nil || len(p) == 0 {
		return 0, a.err
	}
	a.timer.Reset(a.wait)
	n, err := a.next(p)
	a.timer.Stop()
	if n > 0 {
		a.wait = a.server.options.Limits.Silence
	}
	return n, a.count(n, err)
}

// next reads from the runner, up to the end of an event stream.
func (a *answer) next(p []byte) (int, error) {
	n, err := a.src.Read(p)
	if a.end != nil {
		n, a.head = a.end.cut(p[:n])
		if a.end.done && err != io.EOF {
			err = nil
		}
	}
	return n, err
}

// ended reports whether all of the answer has arrived.
func (a *answer) ended() bool { return a.err == io.EOF }

// count counts n bytes and translates the error that came with them.
func (a *answer) count(n int, err error) error {
	if a.left -= int64(n); a.left < 0 && err == nil {
		err = a.server.fault(fault.RunnerGarbled, "read runner's answer", "sends an answer without end", nil)
		a.err = err
		a.cancel(err)
		return err
	}
	if err != nil && err != io.EOF {
		err = a.server.broken(a.ctx, err)
	}
	a.err = err
	return err
}

// peek waits for the first bytes, so that a stream that breaks before it began
// is an error of the request and may be tried elsewhere.
func (a *answer) peek() error {
	head := make([]byte, 4<<10)
	n, err := 0, error(nil)
	for n == 0 && err == nil {
		n, err = a.next(head)
	}
	a.timer.Stop()
	if n == 0 {
		if errors.Is(context.Cause(a.ctx), errStalled) {
			return a.server.noAnswer(a.ctx, opRun, err)
		}
		return a.server.broken(a.ctx, err)
	}
	a.head, a.wait = append(head[:n], a.head...), a.server.options.Limits.Silence
	a.err = a.count(n, err)
	return nil
}

// Close ends the request. It may be called while a Read waits, and again.
func (a *answer) Close() error {
	a.once.Do(func() {
		a.timer.Stop()
		// First the request, then the body: a body that is closed alone may wait
		// for the server.
		a.cancel(context.Canceled)
		_ = a.src.Close()
	})
	return nil
}
