package aiapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
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
			_, err := a.start("client", func(ctx context.Context) json.RawMessage {
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

// TestOneClientsVideosLeavePlaces: a client whose jobs all run leaves half of the places to
// others, and its many results that are not fetched push out no other's.
func TestOneClientsVideosLeavePlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAsync(16, 10*time.Minute, time.Now, rand.Reader)
		defer a.close()
		start := func(party string, takes time.Duration) (string, error) {
			return a.start(party, func(ctx context.Context) json.RawMessage {
				select {
				case <-time.After(takes):
				case <-ctx.Done():
				}
				return json.RawMessage("{}")
			})
		}
		begun := 0
		for range 100 {
			if _, err := start("many", time.Minute); err == nil {
				begun++
			} else if !errors.Is(err, fault.RequestsFull) {
				t.Fatal(err)
			}
		}
		if begun != 8 {
			t.Errorf("one client runs %d jobs", begun)
		}
		id, err := start("few", time.Minute)
		if err != nil {
			t.Fatalf("another client: %v", err)
		}
		<-time.After(2 * time.Minute)
		for range 100 {
			if _, err := start("many", time.Second); err != nil {
				t.Fatal(err)
			}
			<-time.After(2 * time.Second)
		}
		if _, done, ok := a.result(id); !done || !ok {
			t.Error("the other client's result is not kept")
		}
	})
}
