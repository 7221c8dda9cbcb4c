package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// A worker is ready for work while one of its orchestrators knows of it and it has
// something to work with, and its dashboard says the same.
func TestWorkersReadiness(t *testing.T) {
	t.Parallel()
	states := []inference.ModelState{{State: inference.Ready}}
	env := &nodeenv.Env{Config: &config.Config{}, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	n := &node{Env: env, media: media.New(env, nil)}
	n.Config.Roles.AIWorker = true
	n.Config.Addresses.Orchestrators = make([]config.HostPort, 2)
	n.dashboardParts.models = func() []inference.ModelState { return states }
	expect := func(what, code string) {
		t.Helper()
		why, seen := strings.Join(n.notReady(), "; "), gate{n}.Gate()
		if (code == "") != (why == "") || !strings.HasPrefix(why, code) {
			t.Errorf("%s: not ready because %q", what, why)
		}
		if len(seen.WorkKinds) != 1 || seen.Taking != (code == "") || seen.WorkKinds[0].Open != (code == "") || code != "" && seen.WorkKinds[0].Reason == "" {
			t.Errorf("%s: the dashboard shows %+v", what, seen)
		}
	}
	expect("all is well", "")
	away := func(host string) health.Key {
		return health.Key{Code: fault.WorkerNotRegistered, About: "AI worker at " + host}
	}
	n.Board.Set(away("a:8935"), "connection refused")
	expect("one of two orchestrators is away", "")
	n.Board.Set(away("b:8935"), "connection refused")
	expect("both are", "WorkerNotRegistered")
	n.Board.Clear(away("a:8935"))
	states = nil
	expect("no model", "NoModels")
}
