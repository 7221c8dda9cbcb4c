package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"time"

	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/server/worker/ai"
)

// addRemoteAIWorker adds the models of a node without orchestrator, and what registers
// them with orchestrators elsewhere.
func (n *node) addRemoteAIWorker(ctx context.Context) error {
	work := n.newAI(ctx)
	opt := ai.Options{Models: work.manager, Version: networkVersion, Random: rand.Reader, Now: time.Now, Log: n.log}
	if work.wantsMedia() {
		// An orchestrator of the existing network takes videos, not frames.
		opt.Frames = n.mediaFor(metrics.AIWorker, n.add)
	}
	n.add(work.manager)
	if n.metrics != nil {
		if err := n.metrics.WatchModels(metrics.AIWorker, work.manager.Models); err != nil {
			return fmt.Errorf("register metrics of models: %w", err)
		}
	}
	at, err := n.aiOrchestrators()
	if err != nil {
		return err
	}
	loop, err := ai.Loop(at, opt)
	if err != nil {
		return err
	}
	n.add(loop)
	return nil
}

// aiOrchestrators says whom an AI worker registers with, and as whom.
func (n *node) aiOrchestrators() (worker.Options, error) {
	a, files := n.cfg.Addresses, n.cfg.TLS
	certificates, err := worker.LoadTLS(files.OrchCA, files.WorkerCert, files.WorkerKey)
	if err != nil {
		return worker.Options{}, err
	}
	var instance [16]byte
	if _, err := rand.Read(instance[:]); err != nil {
		return worker.Options{}, err
	}
	name := a.WorkerName
	if name == "" {
		// Without one the orchestrator names it by its address.
		name, _ = os.Hostname()
	}
	opt := worker.Options{
		TLS: certificates, Node: remote.Node(version), Worker: name, Instance: hex.EncodeToString(instance[:]),
		Log: n.log, Board: n.board, Now: time.Now, Rand: mrand.Float64,
	}
	// An orchestrator takes any of its secrets, a worker shows the first.
	if secrets := workerSecrets(n.cfg); len(secrets) > 0 {
		opt.Secret = secrets[0]
	}
	for _, addr := range a.Orchestrators {
		opt.Orchestrators = append(opt.Orchestrators, addr.Authority())
	}
	return opt, nil
}
