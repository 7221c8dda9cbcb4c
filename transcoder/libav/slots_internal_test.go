package libav

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Long segments leave room for short ones.
func TestSlots(t *testing.T) {
	t.Parallel()
	s := newSlots(2)
	free, err := s.take(context.Background(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.take(gone, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("a second long segment: %v", err)
	}
	short, err := s.take(context.Background(), 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(gone, 2*time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("a third segment on two cores: %v", err)
	}
	free()
	short()
	for range 2 {
		if _, err := s.take(context.Background(), time.Second); err != nil {
			t.Fatal(err)
		}
	}
}
