package aiapi

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// renewals is how often within the stall time a write's deadline is renewed:
	// setting one for each event would cost more than the event.
	renewals = 8
	// quick is the time of a write that waited for nobody: the system took the
	// bytes. What takes longer waited for the client.
	quick = time.Millisecond
	// sureFit is what the system's buffers of a connection take in any case.
	sureFit = 16 << 10
)

// send writes a piece of the answer and flushes it. Errors are faults
// AnswerNotTaken and Canceled.
func (x *exchange) send(b []byte) error {
	began := time.Now()
	err := x.put(began, b)
	if took := time.Since(began); took > quick {
		x.waited += took
	}
	return err
}

// put is send without the time that it took.
func (x *exchange) put(now time.Time, b []byte) error {
	x.deadline(now)
	n, err := x.w.Write(b)
	x.sent += int64(n)
	if err == nil {
		if err = x.control.Flush(); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if took := time.Since(now); took > quick {
		x.stalled += took
	}
	if err != nil {
		return sendFault(err)
	}
	if x.r.ProtoMajor == 2 {
		// It would reset the stream while the model is silent. With HTTP/1.1 it
		// matters only to who writes.
		_ = x.control.SetWriteDeadline(time.Time{})
	}
	return nil
}

// deadline lets the client take something within the stall time, or be cut off.
func (x *exchange) deadline(now time.Time) {
	stall := x.f.opt.Limits.Stall
	if x.r.ProtoMajor == 2 || now.Sub(x.written) > stall/renewals {
		_ = x.control.SetWriteDeadline(now.Add(stall + stall/renewals))
		x.written = now
	}
}

// sendDone takes the deadline away for the connection's next answer. What is
// still in the server's buffer goes out first.
func (x *exchange) sendDone() {
	if x.written.IsZero() {
		return
	}
	_ = x.control.Flush()
	_ = x.control.SetWriteDeadline(time.Time{})
}

func sendFault(err error) error {
	const op = "send answer"
	if isLate(err) {
		return &fault.Fault{Code: fault.AnswerNotTaken, Op: op, Detail: "the client took nothing of its answer", Err: err}
	}
	return fault.Wrap(fault.Canceled, op, err)
}
