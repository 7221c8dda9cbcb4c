package trickle_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// A subscription gets whole segments in order, leaves out what it lags behind, and ends with its channel.
func TestSubscription(t *testing.T) {
	t.Parallel()
	c := trickle.NewHub(trickle.Limits{}, time.Now).Open("", "a", "x/y")
	put(t, c, 1)
	s := c.Subscribe()
	next := func(size int, number int64) {
		t.Helper()
		data, n, err := s.Next(t.Context())
		if err != nil || len(data) != size || n != number {
			t.Fatalf("%d bytes, segment %d, %v; want %d of %d", len(data), n, err, size, number)
		}
	}
	put(t, c, 2)
	put(t, c, 3)
	next(2, 1)
	next(3, 2)
	for n := range 9 {
		put(t, c, 10+n)
	}
	next(18, 11)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSubscriptionEnds(t *testing.T) {
	t.Parallel()
	h := trickle.NewHub(trickle.Limits{}, time.Now)
	c := h.Open("", "a", "x/y")
	s := c.Subscribe()
	ended := make(chan error)
	go func() {
		_, _, err := s.Next(context.Background())
		ended <- err
	}()
	for c.Readers() == 0 {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("no reader")
		}
	}
	h.Close("a")
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	<-c.Done()
	if _, _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
