package libav

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tuttinode/tutti/transcoder"
)

// slots lets segments begin in the order they came, as many at once as there are
// cores: side by side they would all take longer and hold memory all the while.
type slots struct {
	all, long *semaphore.Weighted
}

func newSlots(cores int) *slots {
	n := int64(transcoder.Parallel(cores))
	return &slots{all: semaphore.NewWeighted(n), long: semaphore.NewWeighted(n / 2)}
}

// take waits for a slot. The caller calls release when the work is done.
func (s *slots) take(ctx context.Context, duration time.Duration) (release func(), err error) {
	if duration <= transcoder.LongSegment {
		if err := s.all.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		return func() { s.all.Release(1) }, nil
	}
	if err := s.long.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := s.all.Acquire(ctx, 1); err != nil {
		s.long.Release(1)
		return nil, err
	}
	return func() { s.all.Release(1); s.long.Release(1) }, nil
}
