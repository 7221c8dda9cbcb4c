package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	mrand "math/rand/v2"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/worker"
)

// Part is the node's work for orchestrators elsewhere.
type Part struct {
	*nodeenv.Env
	// Models is nil on a node that is no AI worker.
	Models *modelserver.Part
	media  *media.Part
	// states are those of the models; nil like Models.
	states func() []inference.ModelState
}

// New adds the devices and models of a node that is no orchestrator, and what registers them.
func New(ctx context.Context, env *nodeenv.Env, devices *media.Part) (*Part, error) {
	p := &Part{Env: env, media: devices}
	if p.Config.Roles.Transcoder {
		if err := p.addTranscoder(ctx); err != nil {
			return nil, err
		}
	}
	if p.Config.Roles.AIWorker {
		if err := p.addModels(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// registration says which orchestrators a worker registers with, and under which name.
func (p *Part) registration() (worker.Options, error) {
	files := p.Config.TLS
	certificates, err := worker.LoadTLS(files.OrchCA, files.WorkerCert, files.WorkerKey)
	if err != nil {
		return worker.Options{}, err
	}
	var instance [16]byte
	if _, err := rand.Read(instance[:]); err != nil {
		return worker.Options{}, err
	}
	name := p.Config.Addresses.WorkerName
	if name == "" {
		// Without one the orchestrator names it by its address.
		name, _ = os.Hostname()
	}
	opt := worker.Options{
		TLS: certificates, Node: remote.Node(process.Version), Worker: name, Instance: hex.EncodeToString(instance[:]),
		Orchestrators: nodeenv.Authorities(p.Config.Addresses.Orchestrators),
		Stores:        p.Config.Storage.ObjectStoreNetworks,
		Log:           p.Log, Board: p.Board, Now: time.Now, Rand: mrand.Float64,
	}
	// An orchestrator takes any of its secrets, a worker shows the first.
	if secrets := nodeenv.Secrets(p.Config); len(secrets) > 0 {
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

// Name returns the component's name.
func (c named) Name() string { return c.name }
