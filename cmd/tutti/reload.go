package main

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
)

// reloadSteps take over what may change while the node runs.
func (n *node) reloadSteps() []nodeenv.Step {
	steps := []nodeenv.Step{n.PrepareLog, n.prepareSessions}
	steps = append(steps, n.Prices.ReloadSteps()...)
	if n.Chain != nil {
		steps = append(steps, adminview.GasBounds(&n.Parts).Prepare, n.Earning.FaceValueStep(n.Config))
	}
	if n.Orchestrator != nil {
		steps = append(steps, n.Orchestrator.ReloadSteps()...)
	}
	if n.Gateway != nil {
		steps = append(steps, n.Gateway.ReloadSteps()...)
	}
	if n.Models != nil {
		steps = append(steps, n.Models.Prepare(n.Book()))
	}
	return steps
}

// prepareSessions takes over the limit of sessions, which the admin API shows.
func (n *node) prepareSessions(_ context.Context, now, next *config.Config) (func(), error) {
	set := n.SetMaxSessions()
	if set == nil || now.Limits.MaxSessions == next.Limits.MaxSessions {
		return nil, nil
	}
	return func() {
		set(next.Limits.MaxSessions.N)
		n.admin.SessionsChanged(next.Limits.MaxSessions.N)
	}, nil
}
