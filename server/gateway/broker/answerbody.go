package broker

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// trackedBody is an answer's body that reports to the table how the answer ended. Reaching the end
// does not make an answer good; its reader decides that.
type trackedBody struct {
	rest         io.ReadCloser
	answer       *upstream.Answer
	wholeOutcome airouting.Outcome // of a complete answer
	lease        *airouting.Lease
	failed       []error // at other orchestrators, before
	lacks        []refusedNeed
	learn        func([]refusedNeed)
	now          func() time.Time
	closed       atomic.Bool
	watch        *silenceWatch
	// brokeOff: the orchestrator broke the answer off.
	brokeOff atomic.Bool
	// span is the attempt's; it ends with the body.
	span telemetry.Span
}

// Read returns what has arrived.
func (t *trackedBody) Read(p []byte) (int, error) {
	n, err := t.rest.Read(p)
	if n > 0 {
		t.watch.progress()
	}
	switch {
	case err == nil, err == io.EOF, t.closed.Load():
	case errors.Is(err, fault.Canceled), errors.Is(err, fault.DeadlineExceeded):
		t.lease.Done(t.now(), airouting.Abandoned)
	default:
		t.brokeOff.Store(true)
	}
	return n, err
}

// deliver receives what the answer delivered.
func (t *trackedBody) deliver(d inference.Delivery) {
	t.answer.Deliver(d)
	now := t.now()
	switch d.How {
	case inference.Complete, inference.Partial:
		t.lease.Done(now, t.wholeOutcome)
		t.blame()
	case inference.Refused:
		if t.answer.Paid {
			t.lease.Lost(now, airouting.SmallLoss)
		}
		t.lease.Done(now, airouting.Refused)
	case inference.Faulty:
		if t.answer.Paid {
			t.lease.Lost(now, lossOfAnswer(d))
		}
		t.lease.Done(now, airouting.Broken)
	default:
		t.lease.Done(now, airouting.Abandoned)
	}
}

// blame penalizes the orchestrators that failed at the job, because this one did it, and records what others refused.
// Having no slot is no failure.
func (t *trackedBody) blame() {
	if t.wholeOutcome != airouting.Served {
		return
	}
	for _, err := range t.failed {
		upstream.Blame(err)
	}
	t.learn(t.lacks)
}

// lossOfAnswer grades a paid faulty answer. Honest orchestrators too may break off all their
// answers in the middle at once.
func lossOfAnswer(d inference.Delivery) airouting.Loss {
	if d.Units > 0 {
		return airouting.SmallLoss
	}
	return airouting.RefusedLoss
}

// Close ends the answer; unread bytes are discarded. It may be called again, and concurrently with
// a Read.
func (t *trackedBody) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	d := inference.Delivery{How: inference.ClientLeft}
	if t.brokeOff.Load() {
		d.How = inference.Faulty
	}
	t.deliver(d) // if the reader did not
	err := t.rest.Close()
	t.watch.end()
	if t.brokeOff.Load() {
		t.span.FailCode(fault.CompletionBroken)
	}
	t.span.End()
	return err
}
