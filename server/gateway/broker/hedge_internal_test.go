package broker

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
)

// A panic in an attempt alongside the request's own goroutine, where no server recovers it, ends the attempt and not
// the node.
func TestAPanicEndsItsAttempt(t *testing.T) {
	t.Parallel()
	ended := make(chan *try, 1)
	stop := (&jobRun{}).start1(t.Context(), &airouting.Lease{}, ended)
	defer stop()
	if got := <-ended; !errors.Is(got.err, fault.Unexpected) || got.answer != nil {
		t.Errorf("%+v", got)
	}
}
