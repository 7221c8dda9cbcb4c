package aiworkers

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// errSecret is the text after which a worker makes no further attempt.
var errSecret = errors.New("invalid secret")

// errDuplicate: the process has registered already over another of this node's addresses.
// Its slots would count twice.
var errDuplicate = errors.New("the worker is registered already, by another address of this orchestrator")

// RegisterAIWorker is a worker's registration stream, open while the worker is registered.
// It never ends with the code Canceled, which workers of the network take as a permanent
// refusal.
func (p *Pool) RegisterAIWorker(
	req *rpc.RegisterAIWorkerRequest, stream grpc.ServerStreamingServer[rpc.NotifyAIJob],
) error {
	conn := remote.StreamConnOf(stream.Context())
	if !p.opt.Secrets.Match(req.GetSecret()) {
		p.refusals.Record(conn.Addr(), fault.New(fault.AIWorkerRefused, opRegister, "wrong secret"))
		return errSecret
	}
	id := remote.NewIdentity(req.GetNode(), req.GetWorker(), req.GetInstance(), conn.Addr())
	reg, err := readRegistration(req, id)
	if err != nil {
		return p.refuse(conn, err)
	}
	if !capability.VersionOK(p.opt.MinVersion, reg.version) {
		p.refusals.Record(conn.Addr(), fault.New(fault.AIWorkerOutdated, opRegister,
			reg.version+" is older than "+p.opt.MinVersion))
		return nil
	}
	conn.KeepOpen()
	w, d, err := p.register(reg, p.inputBase(conn))
	if errors.Is(err, errDuplicate) {
		return status.Error(codes.AlreadyExists, err.Error())
	}
	if err != nil {
		return p.refuse(conn, err)
	}
	defer p.deregister(w, d)
	if id.IsTutti() {
		err = stream.SendHeader(metadata.Pairs(remote.NodeMetadata, p.opt.Node, remote.RegistrationMetadata,
			w.registrationID))
	}
	if err == nil {
		err = w.outbox.Serve(stream, conn, d.ended)
	}
	if err != nil {
		p.awaitReconnect(w, d)
	}
	// The worker registers again whatever the reason.
	return nil
}

// refuse records a refusal for the operator, and returns the worker's error.
func (p *Pool) refuse(conn *remote.StreamConn, err error) error {
	p.refusals.Record(conn.Addr(), fault.New(fault.CodeOf(err), opRegister, fault.Wire(err)))
	return errors.New(fault.Wire(err))
}

// register adds a worker. A further registration of a tutti worker replaces the previous
// one, and its jobs continue.
func (p *Pool) register(reg *registration, base string) (*worker, *registrationStream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, fault.New(fault.AIWorkerRefused, opRegister, "the node is stopping")
	}
	w := p.findWorkerLocked(reg)
	if w == nil && p.isDuplicateLocked(reg) {
		return nil, nil, errDuplicate
	}
	if p.newModelsLocked(reg.models)+len(p.models) > maxPoolModels {
		return nil, nil, fault.New(fault.AIWorkerRefused, opRegister,
			fmt.Sprintf("the workers have more than %d different models", maxPoolModels))
	}
	if w != nil {
		w.stream.end()
	} else {
		if len(p.workers) >= maxWorkers {
			return nil, nil, fault.New(fault.AIWorkerRefused, opRegister, "too many workers")
		}
		if old := p.findReplacedLocked(reg.id); old != nil {
			p.opt.Names.Release(old.name)
			old.nameReleased = true
			// Remove the old one last: its jobs are retried on the new one.
			defer p.removeWorkerLocked(old)
		}
		w = p.addWorkerLocked(reg, base)
	}
	otherAddr := w.stream != nil && w.stream.addr != reg.id.Addr
	w.stream = newRegistrationStream(reg.id.Addr)
	if otherAddr {
		p.resendPendingLocked(w)
	}
	w.version, w.draining, w.disconnected = reg.version, reg.draining, false
	p.setModelsLocked(w, reg.models)
	return w, w.stream, nil
}

// newModelsLocked counts the models that no worker has yet.
func (p *Pool) newModelsLocked(states []inference.ModelState) (n int) {
	for i := range states {
		if p.models[states[i].Model] == nil {
			n++
		}
	}
	return n
}

// addWorkerLocked adds the worker of a first registration.
func (p *Pool) addWorkerLocked(reg *registration, base string) *worker {
	p.registrations++
	w := &worker{
		registrationID: strconv.FormatInt(int64(p.opt.FirstTask), 10) + "." + strconv.Itoa(p.registrations),
		id:             reg.id,
		name:           p.opt.Names.Take(reg.id.Name),
		since:          p.opt.Now(),
		outbox:         remote.NewOutbox(),
		base:           base,
		lost:           make(chan struct{}),
		entries:        make(map[inference.Model]*entry),
		answers:        make(map[*answer]struct{}),
		pendingJobs:    make(map[*pendingJob]struct{}),
	}
	w.tally = p.tallies.Of(w.name)
	p.workers = append(p.workers, w)
	p.refusals.LogArrival(slog.LevelInfo, "AI worker registered", w.name, w.id.Addr, "node", w.id.Node, "version",
		reg.version, "models", len(reg.models))
	return w
}

// findWorkerLocked finds the worker of a further registration.
func (p *Pool) findWorkerLocked(reg *registration) *worker {
	if reg.id.Instance == "" {
		return nil
	}
	for _, w := range p.workers {
		if w.id.Instance == reg.id.Instance {
			return w
		}
	}
	return nil
}

// isDuplicateLocked reports whether the process is registered over another address.
func (p *Pool) isDuplicateLocked(reg *registration) bool {
	return reg.id.Instance != "" && slices.ContainsFunc(p.workers, func(w *worker) bool {
		return remote.ProcessOf(w.id.Instance) == remote.ProcessOf(reg.id.Instance)
	})
}

// deregister removes the worker of a registration that ended, unless another registration
// replaced it.
func (p *Pool) deregister(w *worker, d *registrationStream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.stream == d && !w.gone() {
		p.removeWorkerLocked(w)
	}
}

// removeWorkerLocked removes a worker.
func (p *Pool) removeWorkerLocked(w *worker) {
	w.stream.end()
	for i, have := range p.workers {
		if have == w {
			p.workers = append(p.workers[:i:i], p.workers[i+1:]...)
			break
		}
	}
	w.outbox.Close()
	close(w.lost)
	for a := range w.answers {
		a.shortenStall()
	}
	p.setModelsLocked(w, nil)
	if !w.nameReleased {
		p.opt.Names.Release(w.name)
	}
	p.refusals.LogArrival(slog.LevelInfo, "AI worker gone", w.name, w.id.Addr)
}
