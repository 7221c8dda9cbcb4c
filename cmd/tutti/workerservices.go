package main

import (
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/rpc"
)

// workerServices register workers of other machines. They are nil on a node that has no secret
// for them.
type workerServices struct {
	transcoders *transcoders.Service
	ai          *aiworkers.Pool
	ca          *x509.CertPool
}

// newWorkerServices makes the services that workers register with; what they bring goes into
// the node's pool.
func (n *node) newWorkerServices() error {
	secrets := remote.NewSecrets(peers.Secrets(n.Config)...)
	if !secrets.Any() {
		return nil
	}
	d := &workerServices{}
	var err error
	if d.ca, err = peers.WorkerCA(n.Config.TLS.WorkerCA); err != nil {
		return err
	}
	if d.transcoders, err = transcoders.New(transcoders.Options{
		Placer: n.media.Pool, Secrets: secrets, ServiceURI: n.serviceURI, Origin: n.origin(), Version: release.Version, FirstTask: remote.FirstTask(time.Now()),
		Board: n.Board, Log: n.Log, Now: time.Now, Rand: rand.Reader,
	}); err != nil {
		return err
	}
	if d.ai, err = aiworkers.New(aiworkers.Options{
		Secrets: secrets, MinVersion: release.NetworkVersion, Node: remote.Node(release.Version), ServiceURI: n.serviceURI(), FirstTask: remote.FirstTask(time.Now()),
		Queue: max(1, n.Config.AI.Queue), Limits: modelconfig.Limits(n.Config), Recorder: n.Inference(metrics.Orchestrator),
		Random: rand.Reader, Now: time.Now, Log: n.Log,
	}); err != nil {
		return err
	}
	n.workerServices, n.live.secrets = d, secrets
	return nil
}

// serviceURI is where workers reach this node, where they do not say what they dialled.
func (n *node) serviceURI() string { return n.firstServiceURI() }

// origin is what renditions say of the node that ordered them.
func (n *node) origin() string {
	if n.chain == nil {
		return ""
	}
	return n.chain.Orchestrator.String()
}

// register adds the services to the listener.
func (d *workerServices) register(opt *orchestrator.Options) {
	if d != nil {
		opt.WorkerRoutes, opt.WorkerCA = []orchestrator.WorkerRoutes{transcoderRoutes{d.transcoders}, aiRoutes{d.ai}}, d.ca
	}
}

// transcoderRoutes are the paths of remote transcoders beside their stream.
type transcoderRoutes struct{ *transcoders.Service }

// Routes adds the paths of results and of segments.
func (d transcoderRoutes) Routes(mux *http.ServeMux) {
	mux.Handle(transcoders.ResultsPath, d.Handler())
	mux.Handle(transcoders.SourcePath, d.Source())
}

// aiRoutes are the stream of remote AI workers beside their paths.
type aiRoutes struct{ *aiworkers.Pool }

// Endpoint is their stream.
func (d aiRoutes) Endpoint() remote.Endpoint {
	return remote.Endpoint{Desc: &rpc.AIWorker_ServiceDesc, Server: d.Pool}
}

// run adds what ends all registrations at the stop.
func (d *workerServices) run(n *node) {
	if d != nil {
		n.Add(d.transcoders)
		n.Add(d.ai)
	}
}

// aiWorkers are the AI workers that may register; nil where none may.
func (n *node) aiWorkers() *aiworkers.Pool {
	if n.workerServices == nil {
		return nil
	}
	return n.workerServices.ai
}
