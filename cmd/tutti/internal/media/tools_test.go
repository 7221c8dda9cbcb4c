package media_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Media workers of the sample pipeline start with the node, all others with their first work. What fails is tried
// again.
func TestEarlyWorkers(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{true, false} {
		starts := make(chan struct{}, 8)
		m := media.NewOnDemand(early, func(context.Context) (*pool.Pool, error) {
			starts <- struct{}{}
			return nil, errors.New("no memory")
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- m.Run(ctx, func() {}) }()
		if early {
			<-starts
		}
		if _, err := m.Duration(t.Context(), nil); err == nil {
			t.Error("work is done without workers")
		}
		<-starts
		cancel()
		if err := <-ended; err != nil || len(starts) != 0 {
			t.Errorf("early %v: %v, %d more starts", early, err, len(starts))
		}
	}
}
