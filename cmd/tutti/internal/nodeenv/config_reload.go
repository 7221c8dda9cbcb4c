package nodeenv

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Step makes ready to take over what next says otherwise than now. What may fail does so in the
// step, before anything has changed; the function that it returns only sets values, and is nil
// where nothing changes.
type Step func(ctx context.Context, now, next *config.Config) (apply func(), err error)

// reading is a configuration that was read while the node runs.
type reading struct {
	Config *config.Config
	At     time.Time
}

// Reloader reads the configuration again, from where the node had it: the same command
// line and environment, and files as they are now. All of it is taken over, or nothing.
type Reloader struct {
	env   *Env
	read  func() (*config.Config, []config.Notice, error)
	steps []Step
	last  atomic.Pointer[reading]

	mu sync.Mutex
	// now is what is in force of what may change, files what files of options held then;
	// guarded by mu. Of everything else what the node started with is in force.
	now            *config.Config
	files, started FileSums
}

// NewReloader makes the reloader of a node. read reads the configuration as the start did.
func NewReloader(env *Env, read func() (*config.Config, []config.Notice, error), steps []Step) *Reloader {
	files := SumFiles(env.Config)
	return &Reloader{env: env, read: read, steps: steps, now: env.Config, files: files, started: files}
}

// Last returns the configuration that was taken over last; nil before.
func (r *Reloader) Last() *reading {
	if r == nil {
		return nil
	}
	return r.last.Load()
}

// prepare runs all steps.
func (r *Reloader) prepare(ctx context.Context, next *config.Config) (all []func(), err error) {
	for _, step := range r.steps {
		apply, err := step(ctx, r.now, next)
		if err != nil {
			return nil, err
		}
		if apply != nil {
			all = append(all, apply)
		}
	}
	return all, nil
}

// ConfigChanged reports whether one of the options has another value.
func ConfigChanged(now, next *config.Config, options ...string) bool {
	for _, d := range config.Compare(now, next) {
		if slices.Contains(options, d.Option) {
			return true
		}
	}
	return false
}

func reloadKey() health.Key { return health.Key{Code: fault.ReloadFailed} }

// Reload takes over what is new, or with dry only reports it. The error is ReloadFailed,
// and is a condition until a reload succeeds; a dry run is none.
func (r *Reloader) Reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, err := r.reload(ctx, dry)
	if dry {
		return out, err
	}
	r.env.Board.Report(reloadKey(), err)
	r.env.Reloads.Reloaded(time.Now(), err)
	if err == nil && len(out.Changes) == 0 {
		r.env.Log.Info("configuration read again: nothing has changed")
	}
	return out, err
}

func (r *Reloader) reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	out := adminapi.Reloaded{DryRun: dry, Changes: []adminapi.ReloadChange{}}
	next, _, err := r.read()
	if err != nil {
		return out, process.ReloadFault(err)
	}
	files := SumFiles(next)
	out.Changes = append(out.Changes, r.changes(next, files)...)
	applies, err := r.prepare(ctx, next)
	if err != nil {
		return out, process.ReloadFault(err)
	}
	for i := range out.Changes {
		c := &out.Changes[i]
		out.Restart = out.Restart || c.State == adminapi.ReloadRestart
		if !dry && c.State == adminapi.ReloadPending {
			c.State = adminapi.ReloadApplied
		}
	}
	if dry {
		return out, nil
	}
	for _, apply := range applies {
		apply()
	}
	r.now, r.files = next, files
	r.last.Store(&reading{Config: next, At: time.Now().UTC()})
	for _, c := range out.Changes {
		r.env.Log.Info("configuration changed", "option", c.Option, "from", c.Old, "to", c.New, "source", c.Source, "state",
			c.State)
	}
	return out, nil
}

// changes returns what next says otherwise than what is in force.
func (r *Reloader) changes(next *config.Config, files FileSums) (out []adminapi.ReloadChange) {
	for _, c := range append(changesOf(config.Compare(r.now, next)), r.files.changes(files, r.now, next)...) {
		if c.State != adminapi.ReloadRestart {
			out = append(out, c)
		}
	}
	for _, c := range append(changesOf(config.Compare(r.env.Config, next)),
		r.started.changes(files, r.env.Config, next)...) {
		if c.State == adminapi.ReloadRestart {
			out = append(out, c)
		}
	}
	return out
}

func changesOf(all []config.Difference) (out []adminapi.ReloadChange) {
	for _, d := range all {
		state := adminapi.ReloadRestart
		if d.Live {
			state = adminapi.ReloadPending
		}
		out = append(out, adminapi.ReloadChange{Option: d.Option, Old: d.Old, New: d.New, Source: d.Origin.String(),
			State: state})
	}
	return out
}
