package orchestrator

import (
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/remote/transcoders"
	"github.com/tuttinode/tutti/server/rpc"
)

// Workers register workers of other machines. They are nil on a node that has no secret
// for them.
type Workers struct {
	Transcoders *transcoders.Service
	AI          *aiworkers.Pool
	ca          *x509.CertPool
	secrets     *remote.Secrets
}

// newWorkers makes the services that workers register with; their devices and models go into
// the node's pool.
func (p *Part) newWorkers() error {
	secrets := remote.NewSecrets(nodeenv.Secrets(p.Config)...)
	if !secrets.Any() {
		return nil
	}
	d := &Workers{secrets: secrets}
	var err error
	if d.ca, err = nodeenv.WorkerCA(p.Config.TLS.WorkerCA); err != nil {
		return err
	}
	if d.Transcoders, err = transcoders.New(transcoders.Options{
		Placer: p.media.Pool, Secrets: secrets, ServiceURI: p.serviceURI, Origin: p.origin(), Version: process.Version,
		FirstTask: remote.FirstTask(time.Now()), ResultBytes: nodeenv.Memory(transcoders.DefaultResultBytes),
		Board: p.Board, Log: p.Log, Now: time.Now, Rand: rand.Reader,
	}); err != nil {
		return err
	}
	if d.AI, err = aiworkers.New(aiworkers.Options{
		Secrets: secrets, MinVersion: process.NetworkVersion, Node: remote.Node(process.Version), ServiceURI: p.serviceURI(),
		FirstTask: remote.FirstTask(time.Now()),
		Queue:     max(1, p.Config.AI.Queue), Limits: modelconfig.Limits(p.Config),
		Recorder: p.Inference(metrics.Orchestrator),
		Random:   rand.Reader, Now: time.Now, Log: p.Log,
	}); err != nil {
		return err
	}
	p.Workers = d
	return nil
}

// origin returns what renditions say of the node that ordered them.
func (p *Part) origin() string {
	if p.chain == nil {
		return ""
	}
	return p.chain.Orchestrator.String()
}

// register adds the services to the listener.
func (d *Workers) register(opt *orchestrator.Options) {
	if d != nil {
		opt.WorkerRoutes = []orchestrator.WorkerRoutes{transcoderRoutes{d.Transcoders}, aiRoutes{d.AI, d.secrets}}
		opt.WorkerCA = d.ca
	}
}

// transcoderRoutes are the paths of remote transcoders besides their stream.
type transcoderRoutes struct{ *transcoders.Service }

// Routes adds the paths of results and of segments.
func (d transcoderRoutes) Routes(mux *http.ServeMux) {
	mux.Handle(transcoders.ResultsPath, d.Handler())
	mux.Handle(transcoders.SourcePath, d.Source())
}

// aiRoutes are the stream of remote AI workers besides their paths.
type aiRoutes struct {
	*aiworkers.Pool
	secrets *remote.Secrets
}

// Endpoint is their stream.
func (d aiRoutes) Endpoint() remote.Endpoint {
	return remote.Endpoint{Desc: &rpc.AIWorker_ServiceDesc, Server: d.Pool, Secrets: d.secrets}
}

// run adds what ends all registrations at the stop.
func (d *Workers) run(env *nodeenv.Env) {
	if d != nil {
		env.Add(d.Transcoders)
		env.Add(d.AI)
	}
}

// Refused counts the workers that were refused, by kind and reason.
func (d *Workers) Refused() map[string]map[fault.Code]uint64 {
	return map[string]map[fault.Code]uint64{"transcoder": d.Transcoders.Refused(), "ai": d.AI.Refused()}
}
