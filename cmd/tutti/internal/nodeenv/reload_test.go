package nodeenv

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

func load(t *testing.T, home, args string) *config.Config {
	t.Helper()
	cfg, _, err := config.Load(config.Input{Args: strings.Fields("-gateway -network offchain -orchAddr 127.0.0.1:8935 " +
		args), Home: home})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A step that fails keeps all others from being applied, and a dry run applies none.
func TestAllStepsOrNone(t *testing.T) {
	t.Parallel()
	home, log := t.TempDir(), slog.New(slog.DiscardHandler)
	env := &Env{Config: load(t, home, "-maxSessions 5"), Log: log, Board: health.New(log, time.Now, nil)}
	next := load(t, home, "-maxSessions 6")
	applied, refuses := 0, errors.New("refused")
	set := func(_ context.Context, now, next *config.Config) (func(), error) {
		if !ConfigChanged(now, next, "maxSessions") {
			return nil, nil
		}
		return func() { applied++ }, nil
	}
	check := func(context.Context, *config.Config, *config.Config) (func(), error) { return nil, refuses }
	r := NewReloader(env, func() (*config.Config, []config.Notice, error) { return next, nil, nil }, []Step{set, check})
	if _, err := r.Reload(t.Context(), false); fault.CodeOf(err) != fault.ReloadFailed || applied != 0 || r.Last() != nil {
		t.Errorf("a refused step: %v, applied %d", err, applied)
	}
	if s := env.Board.Snapshot(); len(s) != 1 || s[0].Code != fault.ReloadFailed {
		t.Errorf("conditions: %+v", s)
	}
	refuses = nil
	if out, err := r.Reload(t.Context(), true); err != nil || len(out.Changes) != 1 || applied != 0 || r.Last() != nil {
		t.Errorf("dry: %+v, %v, applied %d", out, err, applied)
	}
	out, err := r.Reload(t.Context(), false)
	if err != nil || len(out.Changes) != 1 || out.Changes[0].State != adminapi.ReloadApplied || applied != 1 {
		t.Errorf("%+v, %v, applied %d", out, err, applied)
	}
	if last := r.Last(); last == nil || last.Config != next || !env.Board.Healthy() {
		t.Errorf("after the reload: %+v", last)
	}
	if _, err := r.Reload(t.Context(), false); err != nil || applied != 1 {
		t.Errorf("without a change: %v, applied %d", err, applied)
	}
}
