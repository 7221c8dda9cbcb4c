package transcoders

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxWords and maxVersion bound a transcoder's stored capabilities.
	maxWords   = 16
	maxVersion = 64
	// maxSessions is more than any machine can serve.
	maxSessions = 1 << 16
	maxDevices  = 256
)

// errDuplicate: the process is registered already over another address.
var errDuplicate = errors.New("the worker is registered already, by another address of this orchestrator")

// register makes a device of a registration, or updates the device of the same process.
func (s *Service) register(
	id remote.Identity, req *rpc.RegisterRequest, conn *remote.StreamConn,
) (*worker, *registrationStream, error) {
	state := registrationState{offer: offerOf(req), draining: req.GetDraining(), devices: devicesOf(req)}
	new := &registrationStream{conn: conn, baseURL: s.baseURL(conn), stop: make(chan struct{})}
	s.joining.Lock()
	defer s.joining.Unlock()
	s.mu.Lock()
	before, closed, duplicate := s.instance[id.Instance], s.closed, s.processes[remote.ProcessOf(id.Instance)]
	s.mu.Unlock()
	switch {
	case closed:
		return nil, nil, stoppingFault()
	case duplicate != nil && duplicate != before:
		// It knows two addresses of this node, and would count twice.
		return nil, nil, errDuplicate
	}
	if before != nil && before.replaceStream(new, state) {
		s.refusals.LogArrival(slog.LevelInfo, "transcoder registered again", before.name, id.Addr, "sessions",
			state.offer.Sessions, "draining", state.draining)
		return before, new, nil
	}
	if before != nil {
		<-before.removed // wait until the lost worker has released its name
	}
	w, err := s.attach(id, new, state)
	if err != nil {
		return nil, nil, err
	}
	s.refusals.LogArrival(slog.LevelInfo, "transcoder registered", w.name, id.Addr, "node", id.Node,
		"version", state.offer.Capabilities.Version, "sessions", state.offer.Sessions)
	return w, new, nil
}

// attach makes a new device. The caller holds joining.
func (s *Service) attach(id remote.Identity, first *registrationStream, state registrationState) (*worker, error) {
	w := &worker{
		s: s, id: id, name: s.names.Take(deviceName(id.Name)), outbox: remote.NewOutbox(),
		gone: make(chan struct{}), removed: make(chan struct{}), stream: first, state: state, since: s.opt.Now(),
		segments: make(map[*sentSegment]struct{}),
	}
	s.mu.Lock()
	s.workers[w] = struct{}{}
	s.hosts.add(id.Addr)
	if id.Instance != "" {
		s.instance[id.Instance] = w
		s.processes[remote.ProcessOf(id.Instance)] = w
	}
	s.registrations++
	w.registrationID = s.process + "." + strconv.Itoa(s.registrations)
	s.mu.Unlock()
	a, err := s.opt.Placer.Attach(w, state.offer)
	if err != nil {
		s.removeWorker(w)
		return nil, &fault.Fault{Code: fault.RemoteRegistration, Op: "attach transcoder", Detail: "try again later", Err: err}
	}
	if state.draining {
		a.Suspend(drainFault())
	}
	w.mu.Lock()
	lost := w.lost
	w.attachment = a
	w.mu.Unlock()
	if lost != nil { // at its first task, before this
		a.Detach()
		return nil, lost
	}
	if id.Named {
		s.missing.remove(id.Name)
	}
	return w, nil
}

// removeWorker removes a worker from the indexes.
func (s *Service) removeWorker(w *worker) {
	s.names.Release(w.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.workers, w)
	s.hosts.remove(w.id.Addr)
	if s.instance[w.id.Instance] == w {
		delete(s.instance, w.id.Instance)
		delete(s.processes, remote.ProcessOf(w.id.Instance))
	}
}

// deviceName keeps a worker's name distinct from the local devices' names.
func deviceName(name string) string {
	if name == "cpu" || strings.HasPrefix(name, "GPU-") || strings.Trim(name, "0123456789") == "" {
		return "worker-" + name
	}
	return name
}

// offerOf returns a registration's offer. It copies what placement needs and keeps no reference
// to the message.
func offerOf(req *rpc.RegisterRequest) device.Resources {
	o := device.Resources{Sessions: int(min(req.GetCapacity(), maxSessions)), Remote: true}
	if len(req.GetCapabilities().GetBitstring()) == 0 {
		// A transcoder of an old release sends no capabilities and has the default ones.
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

// devicesOf returns the devices that a worker reports.
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

func drainFault() *fault.Fault {
	return fault.New(fault.Draining, "place session", "the worker finishes its segments")
}

// origin returns the ordering node, as named in the renditions.
func (s *Service) origin(job *core.TranscodeJob) string {
	if job.Origin != "" {
		return job.Origin
	}
	return s.opt.Origin
}
