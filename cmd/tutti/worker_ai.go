package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/worker/ai"
)

// addRemoteAIWorker adds the models of a node without orchestrator, and what registers
// them with orchestrators elsewhere.
func (n *node) addRemoteAIWorker(ctx context.Context) error {
	work := n.newAI(ctx)
	opt := ai.Options{Models: work.manager, Version: release.NetworkVersion, Random: rand.Reader, Now: time.Now, Log: n.log}
	// An orchestrator of the existing network takes videos, not frames.
	opt.Frames = n.mediaFor(metrics.AIWorker, n.add)
	n.add(work.manager)
	n.dashboardParts.models = work.manager.Models
	if n.metrics != nil {
		if err := n.metrics.WatchModels(metrics.AIWorker, strings.Join(authorities(n.cfg.Addresses.Orchestrators), ","), work.manager.Models); err != nil {
			return fmt.Errorf("register metrics of models: %w", err)
		}
	}
	at, err := n.registration()
	if err != nil {
		return err
	}
	loop, err := ai.Loop(at, opt)
	if err != nil {
		return err
	}
	n.add(named{loop, "AI worker"})
	return nil
}
