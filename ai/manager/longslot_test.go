package manager_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/inference"
)

// long gives a runner work that goes on after its answer.
func (r *rig) long(model string) (inference.LongSlot, io.Closer) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	s, err := r.m.Reserve(ctx, llm(model), "party")
	if err != nil {
		r.t.Fatal(err)
	}
	reply, err := s.Run(r.t.Context(), &inference.Job{Model: llm(model), Body: []byte("{}")})
	if err != nil {
		r.t.Fatal(err)
	}
	return s.(inference.LongSlot), reply.Body
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Work at a runner is lost when the runner reports an error or misses probes, not while it loads; a
// runner that comes back has none of it.
func TestWorkOfALostRunner(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		p := &program{slots: 4}
		r := begin(t, h, external(h, p, 0))
		change := func(f func(*program)) { h.change("http://one:8000", f) }
		after(time.Second)
		first, body := r.long("a")
		change(func(p *program) { p.health = backend.Loading })
		after(6 * time.Second)
		if closed(first.Lost()) {
			t.Error("lost while it loads")
		}
		change(func(p *program) { p.health = backend.Error })
		after(6 * time.Second)
		if !closed(first.Lost()) {
			t.Error("not lost by an error")
		}
		_ = body.Close()
		change(func(p *program) { p.health = "" })
		after(18 * time.Second)
		second, body := r.long("a")
		if closed(second.Lost()) || !closed(first.Lost()) {
			t.Error("the second work shares the first one's life")
		}
		change(func(p *program) { p.down = true })
		second.Recheck()
		after(100 * time.Millisecond)
		if !closed(second.Lost()) {
			t.Error("a suspect that does not answer is not lost at once")
		}
		_ = body.Close()
		r.end()
	})
}

// A runner that reports when it is idle is waited for; one that does not has its slot back at once.
func TestAwaitIdle(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		p := &program{slots: 1, health: backend.Idle}
		r := begin(t, h, external(h, p, 0))
		change := func(f func(*program)) { h.change("http://one:8000", f) }
		after(time.Second)
		s, body := r.long("a")
		change(func(p *program) { p.health = "" })
		after(10 * time.Second)
		begun := time.Now()
		time.AfterFunc(2*time.Second, func() { change(func(p *program) { p.health = backend.Idle }) })
		s.AwaitIdle(t.Context())
		if took := time.Since(begun); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("waited %s", took)
		}
		change(func(p *program) { p.health = "" })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s.AwaitIdle(ctx)
		if ctx.Err() == nil {
			t.Error("a busy runner counts as idle")
		}
		_ = body.Close()
		r.end()
	})
}

func TestNoIdleReported(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, external(h, &program{slots: 1}, 0))
		after(time.Second)
		s, body := r.long("a")
		begun := time.Now()
		s.AwaitIdle(t.Context())
		if took := time.Since(begun); took > 0 {
			t.Errorf("waited %s", took)
		}
		_ = body.Close()
		r.end()
	})
}
