package upstream

import (
	"context"
	"io"

	"github.com/tuttinode/tutti/core/fault"
)

// answerBody is an answer's bytes: those that were read ahead, then the rest.
type answerBody struct {
	first  []byte
	rest   io.ReadCloser
	outer  context.Context // the caller's: it tells why a read failed
	cancel context.CancelCauseFunc
	// received tells how many units came. An answer that the orchestrator breaks off is
	// none, nor is one that takes too long; of one that its reader does not want to the end
	// all counts. left tells how many there may have been for a client that left.
	received, left func(units int64)
	units          int64
}

// Read returns what has arrived. Errors other than io.EOF are faults: Canceled or
// DeadlineExceeded when the caller's context ended, CompletionBroken otherwise.
func (b *answerBody) Read(p []byte) (int, error) {
	if len(b.first) > 0 {
		n := copy(p, b.first)
		if b.first = b.first[n:]; len(b.first) == 0 {
			b.first = nil
		}
		return n, nil
	}
	n, err := b.rest.Read(p)
	if err == nil {
		return n, nil
	}
	// An orchestrator that sees its client leave may end the answer in good order,
	// and that end may still arrive. It is none.
	if end := b.outer.Err(); end != nil {
		if end == context.Canceled {
			b.left(b.units)
		}
		b.received(0) // it took longer than this gateway waits
		return n, fault.Wrap(fault.CodeOf(end), "read answer", err)
	}
	if err == io.EOF {
		b.received(b.units)
		return n, io.EOF
	}
	b.received(0)
	return n, fault.Wrap(fault.CompletionBroken, "read answer", err)
}

// Close ends the exchange: what was not read is not wanted.
func (b *answerBody) Close() error {
	if b.outer.Err() != nil {
		b.left(b.units)
	}
	b.received(b.units)
	b.cancel(nil)
	return b.rest.Close()
}
