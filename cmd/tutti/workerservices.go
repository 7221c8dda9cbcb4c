package main

import (
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
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
	secrets := remote.NewSecrets(workerSecrets(n.cfg)...)
	if !secrets.Any() {
		return nil
	}
	d := &workerServices{}
	var err error
	if d.ca, err = authorities509(n.cfg.TLS.WorkerCA); err != nil {
		return err
	}
	if d.transcoders, err = transcoders.New(transcoders.Options{
		Placer: n.media, Secrets: secrets, ServiceURI: n.serviceURI, Origin: n.origin(), Version: release.Version, FirstTask: remote.FirstTask(time.Now()),
		Board: n.board, Log: n.log, Now: time.Now, Rand: rand.Reader,
	}); err != nil {
		return err
	}
	if d.ai, err = aiworkers.New(aiworkers.Options{
		Secrets: secrets, MinVersion: release.NetworkVersion, Node: remote.Node(release.Version), ServiceURI: n.serviceURI(), FirstTask: remote.FirstTask(time.Now()),
		Queue: max(1, n.cfg.AI.Queue), Limits: n.answerLimits(), Recorder: n.inferenceRecorder(metrics.Orchestrator),
		Random: rand.Reader, Now: time.Now, Log: n.log,
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

// workerSecrets are the secrets of -orchSecret, one in a line.
func workerSecrets(cfg *config.Config) (out []core.Secret) {
	for line := range strings.Lines(cfg.Addresses.OrchSecret.Reveal()) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, core.NewSecret(line))
		}
	}
	return out
}

// authorities509 reads certificates; none for no file.
func authorities509(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(fault.WorkerTLSFiles, "read -workerCA", err)
	}
	ca := x509.NewCertPool()
	if !ca.AppendCertsFromPEM(text) {
		return nil, fault.New(fault.WorkerTLSFiles, "read -workerCA", path+" holds no certificate in PEM form")
	}
	return ca, nil
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
		n.add(d.transcoders)
		n.add(d.ai)
	}
}

// aiWorkers are the AI workers that may register; nil where none may.
func (n *node) aiWorkers() *aiworkers.Pool {
	if n.workerServices == nil {
		return nil
	}
	return n.workerServices.ai
}
