package aiapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// deadlineRenewals is how often within the stall time a write deadline is renewed: setting one
	// per event would cost more than the event.
	deadlineRenewals = 8
	// instantWrite is the time of a write that did not block: the kernel buffered it. A longer
	// write waited for the client.
	instantWrite = time.Millisecond
	// socketBuffer is what the socket's buffers take in any case.
	socketBuffer = 16 << 10
)

// send writes a piece of the answer and flushes it. Errors are faults
// AnswerNotTaken and Canceled.
func (x *relayedRequest) send(b []byte) error {
	began := time.Now()
	err := x.write(began, b)
	if took := time.Since(began); took > instantWrite {
		x.waited += took
	}
	return err
}

// write is send without counting its time as waiting.
func (x *relayedRequest) write(now time.Time, b []byte) error {
	x.deadline(now)
	n, err := x.w.Write(b)
	x.sent += int64(n)
	if err == nil {
		if err = x.control.Flush(); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if took := time.Since(now); took > instantWrite {
		x.clientStall += took
	}
	if err != nil {
		return sendFault(err)
	}
	if x.r.ProtoMajor == 2 {
		// HTTP/2 would reset the stream at this deadline while the model is silent. With HTTP/1.1
		// it matters only to writes.
		_ = x.control.SetWriteDeadline(time.Time{})
	}
	return nil
}

// deadline gives the client the stall time to read something before the connection is closed.
func (x *relayedRequest) deadline(now time.Time) {
	stall := x.server.opt.Limits.Stall
	if x.r.ProtoMajor == 2 || now.Sub(x.lastWrite) > stall/deadlineRenewals {
		_ = x.control.SetWriteDeadline(now.Add(stall + stall/deadlineRenewals))
		x.lastWrite = now
	}
}

// clearDeadline removes the deadline for the connection's next answer. Buffered data is flushed
// first.
func (x *relayedRequest) clearDeadline() {
	if x.lastWrite.IsZero() {
		return
	}
	_ = x.control.Flush()
	_ = x.control.SetWriteDeadline(time.Time{})
}

func sendFault(err error) error {
	const op = "send answer"
	if isTimeout(err) {
		return &fault.Fault{Code: fault.AnswerNotTaken, Op: op, Detail: "the client did not read its answer", Err: err}
	}
	return fault.Wrap(fault.Canceled, op, err)
}

// sendStreamed sends a piece of a stream.
func (x *relayedRequest) sendStreamed(p []byte) error {
	x.collectAnswer(eventStream, p)
	return x.send(p)
}

// sendAnswer sends a whole answer with status 200.
func (x *relayedRequest) sendAnswer(contentType string, b []byte) {
	x.collectAnswer(contentType, b)
	x.sendWhole(http.StatusOK, contentType, b)
}
