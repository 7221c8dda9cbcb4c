package main

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/tlscert"
)

// live are the parts that change while the node runs; nil where it has none.
type live struct {
	rules    *orchestrate.Orchestrator
	listener *orchestrator.Server
	cert     *tlscert.Source
	secrets  *remote.Secrets
	keys     *apikeystore.Authorizer
	admin    *admin.Server
}

// reloader reads the configuration anew, from where the node had it: the same command
// line and environment, and files as they are now. All of it is taken over, or nothing.
type reloader struct {
	n    *node
	read func() (*config.Config, []config.Notice, error)

	mu sync.Mutex
	// now is what is in force of what may change, files what files of options held then;
	// guarded by mu. Of everything else what the node started with is in force.
	now            *config.Config
	files, started fileSums
}

func newReloader(n *node, read func() (*config.Config, []config.Notice, error)) *reloader {
	files := sumFiles(n.Config)
	return &reloader{n: n, read: read, now: n.Config, files: files, started: files}
}

var reloadKey = health.Key{Code: fault.ReloadFailed}

// Reload takes over what is new, or with dry only tells it. The error is ReloadFailed,
// and is a condition until a reload succeeds; a dry run is none.
func (r *reloader) Reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, err := r.reload(ctx, dry)
	if dry {
		return out, err
	}
	r.n.Board.Report(reloadKey, err)
	r.n.Reloads.Reloaded(time.Now(), err)
	if err == nil && len(out.Changes) == 0 {
		r.n.Log.Info("configuration read anew: nothing has changed")
	}
	return out, err
}

func (r *reloader) reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	out := adminapi.Reloaded{DryRun: dry, Changes: []adminapi.ReloadChange{}}
	next, _, err := r.read()
	if err != nil {
		return out, process.ReloadFault(err)
	}
	files := sumFiles(next)
	out.Changes = append(out.Changes, r.changes(next, files)...)
	applies, err := r.n.prepare(ctx, r.now, next)
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
	r.n.dashboardParts.reloaded.Store(&reloaded{cfg: next, at: time.Now().UTC()})
	for _, c := range out.Changes {
		r.n.Log.Info("configuration changed", "option", c.Option, "from", c.Old, "to", c.New, "source", c.Source, "state", c.State)
	}
	return out, nil
}

// changes are what next says otherwise than what is in force.
func (r *reloader) changes(next *config.Config, files fileSums) (out []adminapi.ReloadChange) {
	for _, c := range append(changesOf(config.Compare(r.now, next)), r.files.changes(files, r.now, next)...) {
		if c.State != adminapi.ReloadRestart {
			out = append(out, c)
		}
	}
	for _, c := range append(changesOf(config.Compare(r.n.Config, next)), r.started.changes(files, r.n.Config, next)...) {
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
		out = append(out, adminapi.ReloadChange{Option: d.Option, Old: d.Old, New: d.New, Source: d.Origin.String(), State: state})
	}
	return out
}
