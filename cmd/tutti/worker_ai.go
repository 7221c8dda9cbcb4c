package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/worker/ai"
)

// addRemoteAIWorker adds the models of a node without orchestrator, and what registers
// them with orchestrators elsewhere.
func (n *node) addRemoteAIWorker(ctx context.Context) error {
	work := modelserver.New(ctx, n.Env, n.media)
	n.ai = work
	opt := ai.Options{Models: work.Manager, Version: release.NetworkVersion, Random: rand.Reader, Now: time.Now, Log: n.Log}
	// An orchestrator of the existing network takes videos, not frames.
	opt.Frames = n.media.Tools(metrics.AIWorker, n.Add)
	n.Add(work.Manager)
	n.dashboardParts.models = work.Manager.Models
	if n.Metrics != nil {
		if err := n.Metrics.WatchModels(metrics.AIWorker, strings.Join(peers.Authorities(n.Config.Addresses.Orchestrators), ","), work.Manager.Models); err != nil {
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
	n.Add(named{loop, "AI worker"})
	return nil
}
