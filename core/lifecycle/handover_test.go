package lifecycle_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/lifecycle"
)

// leaver also leaves its place, which takes a while.
type leaver struct {
	part
	takes time.Duration
}

func (l *leaver) HandOver(ctx context.Context) error {
	select {
	case <-time.After(l.takes):
		l.d.add("left %s", l.name)
		return nil
	case <-ctx.Done():
		l.d.add("pushed %s", l.name)
		return ctx.Err()
	}
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		takes time.Duration
		want  string
	}{
		{"in time", time.Second, "left server"},
		{"too slow", time.Hour, "pushed server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &diary{}
				over := make(chan struct{})
				result := make(chan error, 1)
				opts := lifecycle.Options{HandOverSignal: over, Started: func() { d.add("started") },
					Stopping: func() { d.add("stopping") }}
				go func() {
					result <- lifecycle.RunWith(t.Context(), slog.New(slog.DiscardHandler), opts, nil,
						&drainer{part: part{name: "store", d: d}}, &leaver{part{name: "server", d: d}, tt.takes})
				}()
				synctest.Wait()
				close(over)
				if err := <-result; err != nil {
					t.Error(err)
				}
				check(t, d, "start store", "start server", "started", "stopping", tt.want, "stop server", "stop store")
			})
		})
	}
}
