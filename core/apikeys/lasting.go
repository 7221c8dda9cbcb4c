package apikeys

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// CheckInterval is how often the keys of streams are checked again. The webhook's answers are kept for longer.
const CheckInterval = 20 * time.Second

// Check checks the key, or the signed address, of work that outlives the request that began it. The error is a fault.
// nil needs no key.
type Check func(ctx context.Context) error

// Watch checks the key at an interval. It returns the fault that says why the key is not good any more, or nil when ctx
// ends. A webhook that fails, and limits of the key, end nothing.
func (c Check) Watch(ctx context.Context, every time.Duration) error {
	if c == nil {
		return nil
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := c(ctx); over(err) && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// over reports whether a key, or a signed address, is good for nothing any more.
func over(err error) bool {
	ends := []fault.Code{fault.KeyRevoked, fault.KeyExpired, fault.KeyUnknown, fault.KeyDenied,
		fault.PlaybackExpired, fault.PlaybackRefused}
	return err != nil && slices.Contains(ends, fault.CodeOf(err))
}
