package pipeline

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// measuringQueue is how many files may wait to be measured.
	measuringQueue = 64
	// coresPerMeasuring is how many CPU cores there are for each file that is measured at
	// the same time, maxMeasuring how many files are at most.
	coresPerMeasuring, maxMeasuring = 4, 4
)

// Measuring lets parties have audio measured in turn, few files at once. A job is paid by its
// length, so nothing is paid yet when it is measured, and files can take long.
type Measuring struct {
	media MediaProbe
	queue *fairqueue.Queue
}

// NewMeasuring has media do the work; nil can measure nothing.
func NewMeasuring(media MediaProbe) *Measuring {
	slots := min(max(runtime.GOMAXPROCS(0)/coresPerMeasuring, 1), maxMeasuring)
	return &Measuring{media, fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: measuringQueue})}
}

// For measures for a party, in its turn. It is nil where nothing can be measured.
func (m *Measuring) For(party string) MediaProbe {
	if m.media == nil {
		return nil
	}
	return measuringFor{m, party}
}

type measuringFor struct {
	*Measuring
	party string
}

// Duration returns the length of an audio file. Besides those of the MediaProbe its faults are JobsFull
// and that of the end of ctx.
func (m measuringFor) Duration(ctx context.Context, data []byte) (time.Duration, error) {
	const op = "measure audio"
	release, err := m.queue.Acquire(ctx, m.party)
	switch {
	case errors.Is(err, fairqueue.ErrFull):
		return 0, fault.New(fault.JobsFull, op, "too many sounds wait to be measured")
	case err != nil:
		return 0, fault.Wrap(fault.CodeOf(err), op, err)
	}
	defer release()
	return m.media.Duration(ctx, data)
}
