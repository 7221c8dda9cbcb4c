package manager_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func TestSlotsComeBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(slot inference.Slot, reply *inference.Reply, cancel func())
	}{
		{"released", func(s inference.Slot, _ *inference.Reply, _ func()) { s.Release(); s.Release() }},
		{"closed", func(_ inference.Slot, r *inference.Reply, _ func()) { _ = r.Body.Close(); _ = r.Body.Close() }},
		{"its context ended", func(_ inference.Slot, _ *inference.Reply, cancel func()) { cancel() }},
		{"all of it", func(s inference.Slot, r *inference.Reply, cancel func()) {
			cancel()
			synctest.Wait()
			_ = r.Body.Close()
			s.Release()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				_, r := two(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				slot, err := r.m.Reserve(ctx, llm("a"), "party")
				if err != nil {
					t.Fatal(err)
				}
				reply, err := slot.Run(ctx, &inference.Job{})
				if err != nil {
					t.Fatal(err)
				}
				if s := r.state("a", inference.Ready, ""); s.InUse != 1 {
					t.Errorf("%+v", s)
				}
				if !strings.HasPrefix(reply.Worker, "llm_a_") {
					t.Errorf("the worker is called %q", reply.Worker)
				}
				tt.end(slot, reply, cancel)
				synctest.Wait()
				r.idle()
				if _, err := slot.Run(t.Context(), &inference.Job{}); err == nil {
					t.Error("a slot ran twice")
				}
				_, one := r.hold("a")
				_, two := r.hold("a")
				_, _ = one.Body.Close(), two.Body.Close()
				r.end()
			})
		})
	}
}

// TestTheRunnerWentAway: between the slot and the job.
func TestTheRunnerWentAway(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, r := two(t)
		slot, err := r.m.Reserve(t.Context(), llm("a"), "party")
		if err != nil {
			t.Fatal(err)
		}
		h.kill("a")
		if _, err := slot.Run(t.Context(), &inference.Job{}); !errors.Is(err, fault.ModelRunnerLost) {
			t.Errorf("got %v", err)
		}
		r.idle()
		r.end()
	})
}

func TestDrain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{Entries: cold("a")})
		slot, reply := r.hold("a")
		waits := make(chan error, 1)
		go func() { waits <- r.try("a", time.Hour) }()
		synctest.Wait()
		drained := make(chan error, 1)
		go func() { drained <- r.m.Drain(t.Context()) }()
		if err := <-waits; !errors.Is(err, fault.Draining) {
			t.Errorf("got %v", err)
		}
		if err := r.try("a", time.Hour); !errors.Is(err, fault.Draining) {
			t.Errorf("got %v", err)
		}
		if s := r.state("a", inference.Draining, fault.Draining); s.InUse != 1 || s.Offered() {
			t.Errorf("%+v", s)
		}
		select {
		case err := <-drained:
			t.Errorf("drained with a job in work: %v", err)
		default:
		}
		_ = reply.Body.Close()
		slot.Release()
		if err := <-drained; err != nil {
			t.Error(err)
		}
		r.end()
	})
}

func TestDrainIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := begin(t, newHost(), manager.Options{Entries: cold("a")})
		_, reply := r.hold("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.m.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		_ = reply.Body.Close()
		r.end()
	})
}

func TestWithoutModels(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := begin(t, newHost(), manager.Options{})
		if n := len(r.m.Models()); n != 0 {
			t.Errorf("%d models", n)
		}
		if err := r.m.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		r.end()
	})
}
