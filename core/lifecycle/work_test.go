package lifecycle

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A drain waits for sessions as long as it may. Two seconds before its end it ends those that are left, so that their
// clients' last requests are still answered.
func TestSessionsEndBeforeTheDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Sessions
		_, brief := s.Begin(t.Context())
		long, done := s.Begin(t.Context())
		begun := time.Now()
		time.AfterFunc(time.Second, brief)
		context.AfterFunc(long, done)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := s.Work("some").Drain(ctx); err != nil || s.Count() != 0 {
			t.Error(err, s.Count())
		}
		if took := time.Since(begun); took != 28*time.Second || !errors.Is(context.Cause(long), ErrDrainOver) {
			t.Error(took, context.Cause(long))
		}
	})
}

// Requests are not ended: the drain waits for them until its end. Without one it waits for all.
func TestADrainWithoutAnEndWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Sessions
		ctx, done := s.Begin(t.Context())
		w := s.Work("some")
		w.End = nil
		late, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := w.Drain(late); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Error(err, ctx.Err())
		}
		time.AfterFunc(100*time.Hour, done)
		if err := s.Work("some").Drain(t.Context()); err != nil || ctx.Err() == nil {
			t.Error(err)
		}
		if err := w.Drain(t.Context()); err != nil { // there is none
			t.Error(err)
		}
	})
}
