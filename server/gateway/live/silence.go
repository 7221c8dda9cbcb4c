package live

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// watch ends the job when the orchestrator is late or silent.
func (j *job) watch() error {
	l, now := &j.s.srv.o.Limits, j.s.srv.o.Now
	tick := time.NewTicker(l.Watch)
	defer tick.Stop()
	var ended, refused <-chan struct{}
	if j.in != nil {
		ended, refused = j.in.Ended(), j.s.seg.Refused()
	}
	for {
		select {
		case <-tick.C:
		case <-refused: // the reason is below
		case <-ended:
			return errGone
		case <-j.ctx.Done():
			return j.ctx.Err()
		}
		input, fed, failed := j.s.seg.Last()
		output := j.s.out.last()
		if output.Before(fed) {
			output = fed
		}
		j.mu.Lock()
		event := j.lastEvent
		j.mu.Unlock()
		switch at := now(); {
		case errors.Is(failed, errUntaken), errors.Is(failed, trickle.ErrSlow):
			return &leftError{errUntaken, true}
		case failed != nil:
			return channelError(failed)
		case j.a.Subscribe != "" && !fed.IsZero() && at.Sub(output) >= l.OutputSilence && at.Sub(input) < l.OutputSilence/2:
			return &leftError{errNoOutput, true}
		case j.s.plan == nil && at.Sub(event) >= l.EventSilence:
			return errNoEvents
		}
	}
}
