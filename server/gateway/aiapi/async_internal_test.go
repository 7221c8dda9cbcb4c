package aiapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"
)

// Results that are not fetched expire by a timer, not with the next call.
func TestAsyncForgetsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAsync(10, 10*time.Minute, time.Now, rand.Reader)
		defer a.close()
		kept := func() int {
			synctest.Wait()
			a.mu.Lock()
			defer a.mu.Unlock()
			return len(a.jobs)
		}
		start := func(takes time.Duration) {
			_, err := a.start(func(ctx context.Context) json.RawMessage {
				select {
				case <-time.After(takes):
				case <-ctx.Done():
				}
				return json.RawMessage("{}")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		start(time.Minute)
		start(4 * time.Minute)
		start(time.Hour)
		for _, row := range []struct {
			at   time.Duration
			want int
		}{{10 * time.Minute, 3}, {12 * time.Minute, 2}, {15 * time.Minute, 1}, {65 * time.Minute, 1}, {71 * time.Minute, 0}} {
			<-time.After(row.at - time.Since(begun))
			if got := kept(); got != row.want {
				t.Errorf("after %v %d jobs are kept, want %d", row.at, got, row.want)
			}
		}
	})
}
