package inference

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

// QueueRefusal decides what a job is answered that got no slot of its model, in a node's own queue and in that of
// its AI workers: ModelLineFull at once when the queue is full, ModelWaitOver with a detail when the job's time to
// wait is over, canceled when its gateway left. Other errors close the queue, and are returned as they are.
func QueueRefusal(err error, op string, m Model, s fairqueue.Stats, waitOver string, canceled fault.Code) error {
	switch {
	case errors.Is(err, fairqueue.ErrFull):
		return fault.New(fault.ModelLineFull, op, fmt.Sprintf("%d in use, %d waiting for %s", s.InUse, s.Waiting, m))
	case errors.Is(err, context.DeadlineExceeded):
		return &fault.Fault{Code: fault.ModelWaitOver, Op: op, Detail: waitOver, Err: err}
	case errors.Is(err, context.Canceled):
		return fault.Wrap(canceled, op, err)
	}
	return err
}
