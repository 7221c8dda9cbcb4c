package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	mrand "math/rand/v2"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/worker"
)

// addWorkerRoles adds what works for orchestrators elsewhere.
func (n *node) addWorkerRoles(ctx context.Context) error {
	r := n.Config.Roles
	if r.Orchestrator {
		return nil
	}
	if r.Transcoder {
		if err := n.addRemoteTranscoder(ctx); err != nil {
			return err
		}
	}
	if r.AIWorker {
		return n.addRemoteAIWorker(ctx)
	}
	return nil
}

// registration says which orchestrators a worker registers with, and as whom.
func (n *node) registration() (worker.Options, error) {
	files := n.Config.TLS
	certificates, err := worker.LoadTLS(files.OrchCA, files.WorkerCert, files.WorkerKey)
	if err != nil {
		return worker.Options{}, err
	}
	var instance [16]byte
	if _, err := rand.Read(instance[:]); err != nil {
		return worker.Options{}, err
	}
	name := n.Config.Addresses.WorkerName
	if name == "" {
		// Without one the orchestrator names it by its address.
		name, _ = os.Hostname()
	}
	opt := worker.Options{
		TLS: certificates, Node: remote.Node(release.Version), Worker: name, Instance: hex.EncodeToString(instance[:]),
		Orchestrators: peers.Authorities(n.Config.Addresses.Orchestrators),
		Stores:        n.Config.Storage.ObjectStoreNetworks,
		Log:           n.Log, Board: n.Board, Now: time.Now, Rand: mrand.Float64,
	}
	// An orchestrator takes any of its secrets, a worker shows the first.
	if secrets := peers.Secrets(n.Config); len(secrets) > 0 {
		opt.Secret = secrets[0]
	}
	return opt, nil
}

// named is a component that drains, under a name of its own.
type named struct {
	drained
	name string
}

type drained interface {
	lifecycle.Component
	lifecycle.Drainer
}

// Name is the component's name.
func (c named) Name() string { return c.name }
