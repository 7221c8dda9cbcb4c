package liverunner_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/liverunner"
)

// A drain refuses new sessions by name, of all runners or of one; what there is goes on until it ends.
func TestDrain(t *testing.T) {
	t.Parallel()
	g := newRig("topsecret")
	list, err := g.Register(static(t, `,"capacity":2`))
	if err != nil {
		t.Fatal(err)
	}
	id := list[0].ID
	g.SetHealth(id, true)
	s, _, err := g.Reserve(id, liverunner.Persistent, "")
	if err != nil {
		t.Fatal(err)
	}
	if !g.SetDraining("x", true) || g.SetDraining("y", true) {
		t.Error("runners are drained by their names")
	}
	if sessions, slots := g.Use(); sessions != 1 || slots != 1 {
		t.Error(sessions, slots)
	}
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "Draining: the runner takes no new sessions")
	if _, err := g.Session(id, s.ID); err != nil {
		t.Error(err)
	}
	g.SetDraining(id, false)
	g.Pause()
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "Draining: the orchestrator takes no new sessions")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.AwaitIdle(ctx); !errors.Is(err, context.Canceled) {
		t.Error("a session is not waited for:", err)
	}
	idle := make(chan error, 1)
	go func() { idle <- g.AwaitIdle(t.Context()) }()
	if err := g.Stop(id, s.ID); err != nil {
		t.Error(err)
	}
	if err := <-idle; err != nil || g.ended[s.ID] != 1 {
		t.Error(err, g.ended)
	}
	g.Resume()
	if _, _, err := g.Reserve(id, liverunner.Persistent, ""); err != nil {
		t.Error(err)
	}
	if n := g.EndSessions(); n != 1 {
		t.Error(n)
	}
}
