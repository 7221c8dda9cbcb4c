package broker

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/dispatch"
	"github.com/tuttinode/tutti/core/fault"
)

// tracked is an answer's body that tells the table how the answer ended.
type tracked struct {
	rest   io.ReadCloser
	length int64 // -1 when unknown
	end    dispatch.Outcome
	lease  *dispatch.Lease
	now    func() time.Time

	read   atomic.Int64
	closed atomic.Bool
}

// Read returns what has arrived.
func (t *tracked) Read(p []byte) (int, error) {
	n, err := t.rest.Read(p)
	switch read := t.read.Add(int64(n)); {
	case err == io.EOF, err == nil && read == t.length:
		t.lease.Done(t.now(), t.end)
	case err == nil:
	case t.closed.Load(), errors.Is(err, fault.Canceled), errors.Is(err, fault.DeadlineExceeded):
		t.lease.Done(t.now(), dispatch.Abandoned)
	default:
		t.lease.Done(t.now(), dispatch.Broken)
	}
	return n, err
}

// Close ends the answer; what was not read is not wanted. It may be called again,
// and beside a Read.
func (t *tracked) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	err := t.rest.Close()
	t.lease.Done(t.now(), dispatch.Abandoned)
	return err
}
