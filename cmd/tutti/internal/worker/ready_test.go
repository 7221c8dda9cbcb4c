package worker

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// A worker is ready for work while one of its orchestrators knows of it and it has
// something to work with.
func TestWorkersReadiness(t *testing.T) {
	t.Parallel()
	states := []inference.ModelState{{State: inference.Ready}}
	env := &nodeenv.Env{Config: &config.Config{}, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	p := &Part{Env: env, states: func() []inference.ModelState { return states }}
	p.Config.Roles.AIWorker = true
	p.Config.Addresses.Orchestrators = make([]config.HostPort, 2)
	expect := func(what, code string) {
		t.Helper()
		why := strings.Join(p.NotReady(), "; ")
		if (code == "") != (why == "") || !strings.HasPrefix(why, code) {
			t.Errorf("%s: not ready because %q", what, why)
		}
	}
	expect("all is well", "")
	away := func(host string) health.Key {
		return health.Key{Code: fault.WorkerNotRegistered, About: "AI worker at " + host}
	}
	p.Board.Set(away("a:8935"), "connection refused")
	expect("one of two orchestrators is away", "")
	p.Board.Set(away("b:8935"), "connection refused")
	expect("both are", "WorkerNotRegistered")
	p.Board.Clear(away("a:8935"))
	states = nil
	expect("no model", "NoModels")
}
