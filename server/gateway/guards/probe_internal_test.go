package guards

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// fragile is a guard that fails at what has "bad" in it, and at all else once it is down.
type fragile struct {
	down  atomic.Bool
	asked atomic.Int64
	// onCheck is called when it gets the gateway's own question, where it is not nil.
	onCheck func()
}

func (f *fragile) ask(ctx context.Context, question []byte, _ int64) ([]byte, error) {
	f.asked.Add(1)
	if f.onCheck != nil && bytes.Contains(question, []byte("-check")) {
		f.onCheck()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	switch {
	case bytes.Contains(question, []byte("slow")):
		<-ctx.Done()
		return nil, ctx.Err()
	case f.down.Load(), bytes.Contains(question, []byte("bad")):
		return nil, errors.New("the program ended")
	}
	return []byte(`{"action":"pass"}`), nil
}

func (*fragile) close() {}

// A client passes no guard by something at which the guard fails, be it by an end, a status or its time, while the
// guard answers others. It is passed where it is down, as its operator chose.
func TestWhatAGuardFailsAtPassesNothing(t *testing.T) {
	t.Parallel()
	g, _ := withHeld(t, "50ms")
	f := &fragile{}
	g.list[0].backend = f
	ask := func(q Question) fault.Code {
		_, err := g.Check(t.Context(), q)
		if err == nil {
			return ""
		}
		return fault.CodeOf(err)
	}
	bad := func(text string) []Question {
		body := json.RawMessage(`{"x":"` + text + `"}`)
		return []Question{{Stage: StageRequest, Body: body}, {Stage: StageAnswer, Body: body},
			{Stage: StageAnswer, Stream: true, Events: []json.RawMessage{body}}}
	}
	for _, q := range append(bad("bad"), bad("slow")...) {
		if code := ask(q); code != fault.GuardFailed {
			t.Errorf("%s passed: %q", q.Body, code)
		}
		if code := ask(Question{Stage: StageRequest, Body: json.RawMessage(`{}`)}); code != "" {
			t.Errorf("another question: %q", code)
		}
	}
	// Nor by leaving while the guard is probed.
	client, leave := context.WithCancel(t.Context())
	f.onCheck = leave
	if _, err := g.Check(client, bad("bad")[0]); fault.CodeOf(err) != fault.GuardFailed {
		t.Errorf("a client that leaves: %v", err)
	}
	f.onCheck = nil
	if code := ask(bad("bad")[0]); code != fault.GuardFailed {
		t.Errorf("after a client that left: %q", code)
	}
	f.down.Store(true)
	for _, q := range bad("good") {
		if code := ask(q); code != "" {
			t.Errorf("a guard that is down: %q", code)
		}
	}
	// One that is known to be down is not asked twice for each question.
	before := f.asked.Load()
	for range 20 {
		ask(Question{Stage: StageRequest, Body: json.RawMessage(`{}`)})
	}
	if n := f.asked.Load() - before; n > 30 {
		t.Errorf("%d questions", n)
	}
	f.down.Store(false)
	ask(Question{Stage: StageRequest, Body: json.RawMessage(`{}`)})
	if code := ask(bad("bad")[0]); code != fault.GuardFailed {
		t.Errorf("it is up again: %q", code)
	}
}
