package transcoders

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxWords and maxVersion bound what is kept of a transcoder's capabilities.
	maxWords   = 16
	maxVersion = 64
	// maxSessions is more than any machine does.
	maxSessions = 1 << 16
	maxDevices  = 256
)

// errTwin: the process is registered already, from another address.
var errTwin = errors.New("the worker is registered already, by another address of this orchestrator")

// join makes a device of a registration, or puts it in the place of the one before
// of the same process.
func (s *Service) join(id remote.Identity, req *rpc.RegisterRequest, line *remote.Line) (*worker, *seat, error) {
	st := standing{offer: offerOf(req), draining: req.GetDraining(), devices: devicesOf(req)}
	new := &seat{line: line, base: s.base(line), stop: make(chan struct{})}
	s.joining.Lock()
	defer s.joining.Unlock()
	s.mu.Lock()
	before, closed, twin := s.instance[id.Instance], s.closed, s.processes[remote.ProcessOf(id.Instance)]
	s.mu.Unlock()
	switch {
	case closed:
		return nil, nil, stopping()
	case twin != nil && twin != before:
		// It has two of this node's addresses, and would count twice.
		return nil, nil, errTwin
	}
	if before != nil && before.sit(new, st) {
		s.opt.Log.Info("transcoder registered anew", "worker", before.name, "sessions", st.offer.Sessions, "draining", st.draining)
		return before, new, nil
	}
	if before != nil {
		<-before.left // it is being lost at this moment, and keeps its name after that
	}
	w, err := s.attach(id, new, st)
	if err != nil {
		return nil, nil, err
	}
	s.opt.Log.Info("transcoder registered", "worker", w.name, "from", id.Addr, "node", id.Node,
		"version", st.offer.Capabilities.Version, "sessions", st.offer.Sessions)
	return w, new, nil
}

// attach makes a new device. The caller holds joining.
func (s *Service) attach(id remote.Identity, first *seat, st standing) (*worker, error) {
	w := &worker{
		s: s, id: id, name: s.names.Take(deviceName(id.Name)), box: remote.NewOutbox(),
		gone: make(chan struct{}), left: make(chan struct{}), seat: first, st: st, since: s.opt.Now(),
		errands: make(map[*errand]struct{}),
	}
	s.mu.Lock()
	s.workers[w] = struct{}{}
	s.hosts.come(id.Addr)
	if id.Instance != "" {
		s.instance[id.Instance] = w
		s.processes[remote.ProcessOf(id.Instance)] = w
	}
	s.places++
	w.spot = s.process + "." + strconv.Itoa(s.places)
	s.mu.Unlock()
	a, err := s.opt.Placer.Attach(w, st.offer)
	if err != nil {
		s.forget(w)
		return nil, &fault.Fault{Code: fault.RemoteRegistration, Op: "attach transcoder", Detail: "try again later", Err: err}
	}
	if st.draining {
		a.Suspend(drains())
	}
	w.mu.Lock()
	lost := w.lost
	w.place = a
	w.mu.Unlock()
	if lost != nil { // at its first task, before this
		a.Detach()
		return nil, lost
	}
	if id.Named {
		s.missing.back(id.Name)
	}
	return w, nil
}

// forget takes a worker off the books.
func (s *Service) forget(w *worker) {
	s.names.Give(w.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.workers, w)
	s.hosts.leave(w.id.Addr)
	if s.instance[w.id.Instance] == w {
		delete(s.instance, w.id.Instance)
		delete(s.processes, remote.ProcessOf(w.id.Instance))
	}
}

// deviceName keeps a worker's name apart from those of this machine's devices.
func deviceName(name string) string {
	if name == "cpu" || strings.HasPrefix(name, "GPU-") || strings.Trim(name, "0123456789") == "" {
		return "worker-" + name
	}
	return name
}

// offerOf is what a registration offers, with nothing of the message kept but what
// placement needs.
func offerOf(req *rpc.RegisterRequest) placement.Offer {
	o := placement.Offer{Sessions: int(min(req.GetCapacity(), maxSessions)), Remote: true}
	if len(req.GetCapabilities().GetBitstring()) == 0 {
		// A transcoder of an old release says nothing and does what all do.
		o.Capabilities = capability.Offer(capability.Default(), "")
		return o
	}
	c := req.GetCapabilities().Capability()
	o.Capabilities = capability.Capabilities{
		Bits: clip(c.Bits), Mandatory: clip(c.Mandatory), Version: strings.Clone(c.Version[:min(len(c.Version), maxVersion)]),
	}
	if c.Capacities != nil {
		o.Capabilities.Capacities = make(map[capability.ID]uint32)
		for _, id := range o.Capabilities.Bits.IDs() {
			o.Capabilities.Capacities[id] = min(c.Capacities[id], math.MaxInt32)
		}
	}
	return o
}

func clip(s capability.Set) capability.Set { return slices.Clone(s[:min(len(s), maxWords)]) }

// devicesOf is what a worker says of its own devices.
func devicesOf(req *rpc.RegisterRequest) []WorkerDevice {
	var out []WorkerDevice
	for _, d := range req.GetDevices()[:min(len(req.GetDevices()), maxDevices)] {
		out = append(out, WorkerDevice{
			Device: remote.Printable(d.GetDevice()), Kind: remote.Printable(d.GetKind()),
			Sessions: int(d.GetSessions()), Limit: int(d.GetLimit()),
		})
	}
	return out
}

func drains() *fault.Fault {
	return fault.New(fault.Draining, "place session", "the worker finishes what it has")
}

// origin is what renditions say of the node that ordered them.
func (s *Service) origin(job *core.TranscodeJob) string {
	if job.Origin != "" {
		return job.Origin
	}
	return s.opt.Origin
}
