package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/worker"
)

// addModels adds the models of a node without orchestrator, and what registers
// them with orchestrators elsewhere.
func (p *Part) addModels(ctx context.Context) error {
	work := modelserver.New(ctx, p.Env, p.media)
	p.Models, p.states = work, work.Manager.Models
	opt := worker.AIOptions{Models: work.Manager, Version: process.NetworkVersion, Random: rand.Reader, Now: time.Now,
		MaxRequests: nodeenv.Memory(worker.DefaultRequestBytes), Tracer: p.Tracer, Log: p.Log}
	// An orchestrator of the existing network takes videos, not frames.
	opt.Frames = p.media.Tools(metrics.AIWorker, p.Add)
	p.Add(work.Manager)
	if p.Metrics != nil {
		if err := p.Metrics.WatchModels(metrics.AIWorker, strings.Join(nodeenv.Authorities(p.Config.Addresses.Orchestrators),
			","), work.Manager.Models); err != nil {
			return fmt.Errorf("register metrics of models: %w", err)
		}
	}
	at, err := p.registration()
	if err != nil {
		return err
	}
	loop, err := worker.AILoop(at, opt)
	if err != nil {
		return err
	}
	p.Add(named{loop, "AI worker"})
	return nil
}
