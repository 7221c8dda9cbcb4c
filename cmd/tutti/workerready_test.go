package main

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

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
	n := &node{cfg: &config.Config{}, board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	n.cfg.Roles.AIWorker = true
	n.cfg.Addresses.Orchestrators = make([]config.HostPort, 2)
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
	n.board.Set(away("a:8935"), "connection refused")
	expect("one of two orchestrators is away", "")
	n.board.Set(away("b:8935"), "connection refused")
	expect("both are", "WorkerNotRegistered")
	n.board.Clear(away("a:8935"))
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
		n := &node{cfg: &config.Config{}, log: slog.New(slog.DiscardHandler)}
		n.board = health.New(n.log, time.Now, nil)
		n.cfg.Roles.AIWorker, n.cfg.Roles.Orchestrator = true, row.orchestrator
		if row.secret != "" {
			n.cfg.Addresses.OrchSecret = core.NewSecret(row.secret)
		}
		notice := n.withoutModels()
		told := slices.ContainsFunc(n.board.Snapshot(), func(c health.Condition) bool { return c.Code == fault.NoModels })
		if told != row.told || notice == "" {
			t.Errorf("%s: on the board %t, notice %q", name, told, notice)
		}
	}
}
