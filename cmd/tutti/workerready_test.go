package main

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
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

// A worker that was given no models tells whoever is alerted, not its page alone; an
// orchestrator may have the models of others.
func TestWithoutModelsThereIsATrouble(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		orchestrator bool
		secret       string
		told         bool
	}{
		"a worker for an orchestrator":       {false, "s", true},
		"an orchestrator that takes work":    {true, "", true},
		"one that lets workers of others in": {true, "s", false},
	} {
		env := &nodeenv.Env{Config: &config.Config{}, Log: slog.New(slog.DiscardHandler)}
		n := &node{Env: env, media: media.New(env, nil)}
		n.Board = health.New(n.Log, time.Now, nil)
		n.Config.Roles.AIWorker, n.Config.Roles.Orchestrator = true, row.orchestrator
		if row.secret != "" {
			n.Config.Addresses.OrchSecret = core.NewSecret(row.secret)
		}
		notice := n.withoutModels()
		told := slices.ContainsFunc(n.Board.Snapshot(), func(c health.Condition) bool { return c.Code == fault.NoModels })
		if told != row.told || notice == "" {
			t.Errorf("%s: on the board %t, notice %q", name, told, notice)
		}
	}
}
