package broker_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
)

// TestASilentModelIsOvertakenLater: the second orchestrator has no slot at the moment at which the first one is late.
// It gets the stream when it has one.
func TestASilentModelIsOvertakenLater(t *testing.T) {
	t.Parallel()
	a, b := fake(t, "a"), fake(t, "b")
	b.with(func() { b.models[llm] = capability.Model{Warm: true, Capacity: 1, RunnerVersion: "0.14.0"} })
	s := start(t, hedging, a, b)
	s.warmUp(t, a, b)
	var waiting atomic.Int64
	a.does(hangs(&waiting))
	release, held := make(chan struct{}), make(chan struct{})
	b.does(func(_ int, w http.ResponseWriter, r *http.Request) {
		select {
		case <-held: // not the first one
		default:
			close(held)
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		answer(w, "b")
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, _, err := s.ask(ctx, chat(), wishing(t, airouting.Preferences{}, nil, []*orchestrator{b}))
		done <- err
	}()
	<-held
	time.AfterFunc(3*time.Second, func() { close(release) }) // a's streams took milliseconds
	text, got, err := s.ask(ctx, streamed(), wishing(t, airouting.Preferences{}, []*orchestrator{a, b}, nil))
	if err != nil || text != `{"b":1}` || !got.Hedged || got.Orchestrator != b.uri {
		t.Errorf("%q %+v %v", text, got, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	eventually(t, "no job in flight", func() bool { return s.inFlight() == 0 && waiting.Load() == 0 })
}
