package aiworkers

import (
	"errors"
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

// errSecret is the text that makes every worker give up instead of coming back.
var errSecret = errors.New("invalid secret")

// errTwin: the process has registered already by another of this node's addresses; its
// slots would count twice.
var errTwin = errors.New("the worker is registered already, by another address of this orchestrator")

// RegisterAIWorker is a worker's stream: it stays open as long as the worker works
// for this node. It never ends with the code Canceled, which workers of the network
// take as being dismissed.
func (p *Pool) RegisterAIWorker(req *rpc.RegisterAIWorkerRequest, stream grpc.ServerStreamingServer[rpc.NotifyAIJob]) error {
	line := remote.LineOf(stream.Context())
	if !p.opt.Secrets.Match(req.GetSecret()) {
		p.refusals.Note(line.Addr(), fault.New(fault.AIWorkerRefused, opRegister, "wrong secret"))
		return errSecret
	}
	id := remote.NewIdentity(req.GetNode(), req.GetWorker(), req.GetInstance(), line.Addr())
	reg, err := readRegistration(req, id)
	if err != nil {
		return p.refuse(line, err)
	}
	if !capability.VersionOK(p.opt.MinVersion, reg.version) {
		p.refusals.Note(line.Addr(), fault.New(fault.AIWorkerOutdated, opRegister, reg.version+" is older than "+p.opt.MinVersion))
		return nil
	}
	line.Open()
	w, d, err := p.join(reg, p.inputBase(line))
	if errors.Is(err, errTwin) {
		return status.Error(codes.AlreadyExists, err.Error())
	}
	if err != nil {
		return p.refuse(line, err)
	}
	defer p.leave(w, d)
	if id.Own() {
		err = stream.SendHeader(metadata.Pairs(remote.NodeMetadata, p.opt.Node, remote.PlaceMetadata, w.place))
	}
	if err == nil {
		err = w.notes.Serve(stream, line, d.ended)
	}
	if err != nil {
		p.hold(w, d)
	}
	// Why it ended is the worker's to know: it comes back.
	return nil
}

// refuse tells the operator, and the worker in the protocol's way.
func (p *Pool) refuse(line *remote.Line, err error) error {
	p.refusals.Note(line.Addr(), fault.New(fault.CodeOf(err), opRegister, fault.Wire(err)))
	return errors.New(fault.Wire(err))
}

// join lets a worker in. A further registration of one of our own takes the place of
// the one before; its jobs go on.
func (p *Pool) join(reg *registration, base string) (*worker, *door, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return nil, nil, fault.New(fault.AIWorkerRefused, opRegister, "the node is stopping")
	}
	w := p.known(reg)
	if w == nil && p.twin(reg) {
		return nil, nil, errTwin
	}
	if w != nil {
		w.door.end()
	} else {
		if len(p.workers) >= maxWorkers {
			return nil, nil, fault.New(fault.AIWorkerRefused, opRegister, "too many workers")
		}
		if old := p.replaced(reg.id); old != nil {
			p.opt.Names.Give(old.name)
			old.nameless = true
			// Its jobs go to the new one, which has to be there for that.
			defer p.drop(old)
		}
		w = p.admit(reg, base)
	}
	elsewhere := w.door != nil && w.door.addr != reg.id.Addr
	w.door = newDoor(reg.id.Addr)
	if elsewhere {
		p.again(w)
	}
	w.version, w.draining, w.away = reg.version, reg.draining, false
	p.furnish(w, reg.models)
	return w, w.door, nil
}

// admit makes a worker of a first registration. The caller holds mu.
func (p *Pool) admit(reg *registration, base string) *worker {
	p.places++
	w := &worker{
		place: strconv.FormatInt(int64(p.opt.FirstTask), 10) + "." + strconv.Itoa(p.places),
		id:    reg.id, name: p.opt.Names.Take(reg.id.Name), since: p.opt.Now(), notes: remote.NewOutbox(), base: base,
		lost: make(chan struct{}), entries: make(map[inference.Model]*entry), answers: make(map[*arrival]struct{}),
		errands: make(map[*errand]struct{}),
	}
	w.tally = p.tallies.Of(w.name)
	p.workers = append(p.workers, w)
	p.opt.Log.Info("AI worker registered", "worker", w.name, "addr", w.id.Addr, "node", w.id.Node, "version", reg.version, "models", len(reg.models))
	return w
}

// known finds the worker of a further registration. The caller holds mu.
func (p *Pool) known(reg *registration) *worker {
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

// twin reports whether the process is registered by another address. The caller holds mu.
func (p *Pool) twin(reg *registration) bool {
	return reg.id.Instance != "" && slices.ContainsFunc(p.workers, func(w *worker) bool {
		return remote.ProcessOf(w.id.Instance) == remote.ProcessOf(reg.id.Instance)
	})
}

// leave lets a worker go whose registration ended, unless another has taken its
// place.
func (p *Pool) leave(w *worker, d *door) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.door == d && !w.gone() {
		p.drop(w)
	}
}

// drop forgets a worker. The caller holds mu.
func (p *Pool) drop(w *worker) {
	w.door.end()
	for i, have := range p.workers {
		if have == w {
			p.workers = append(p.workers[:i:i], p.workers[i+1:]...)
			break
		}
	}
	w.notes.Close()
	close(w.lost)
	for a := range w.answers {
		a.hurry()
	}
	p.furnish(w, nil)
	if !w.nameless {
		p.opt.Names.Give(w.name)
	}
	p.opt.Log.Info("AI worker gone", "worker", w.name, "addr", w.id.Addr)
}
