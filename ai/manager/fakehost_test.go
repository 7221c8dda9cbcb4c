package manager_test

import (
	"context"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// host is the world outside the manager: an engine with containers, and servers.
// A container of a model behaves as its program says.
type host struct {
	mu       sync.Mutex
	lastBody string // of the last job
	programs map[string]*program
	boxes    map[docker.ID]*box
	servers  map[string]*program
	watchers []chan docker.Event
	next     int
	// created and removed count by model, pulls by image; most is how many boxes
	// there were at once on a device.
	created, removed, pulls map[string]int
	most                    map[string]int
	pullTime                time.Duration
	slow                    map[string]time.Duration // pullTime of single images
	absent                  map[string]bool          // images that the engine does not have
	pullErr, engineErr      error
	// engineErr is the answer to every call that changes a container; hang makes
	// those about a model's wait for their ctx.
	hang map[string]bool
	// mute loses the engine's events and progress; claimed are ports that something else takes
	// just before a container is started.
	mute    bool
	claimed []uint16
	ports   []uint16
	// swept is how often strays were looked for.
	swept int
	held  map[string]chan struct{} // by server
	// known are the boxes that this run of the node made or adopted.
	known map[docker.ID]bool
}

// until is closed when the jobs of a server go on. It is called with the lock held.
func (h *host) until(url string) <-chan struct{} {
	if h.held == nil {
		h.held = make(map[string]chan struct{})
	}
	if h.held[url] == nil {
		h.held[url] = make(chan struct{})
	}
	return h.held[url]
}

// release lets the jobs of a server go on.
func (h *host) release(url string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until(url)
	close(h.held[url])
}

// program is how a runner behaves.
type program struct {
	// silent is the time until it answers, loads that until it says OK.
	silent, loads time.Duration
	// dies ends it after a time, with lines and an error.
	dies  time.Duration
	death *docker.Exit
	// startErr is the engine's answer to a start.
	startErr error
	slots    int
	assumed  bool
	kind     backend.Kind
	version  string
	missing  bool
	// unlisted is what its list lacks.
	unlisted string
	// unconfined are the restrictions that the engine cannot keep.
	unconfined []string
	// The rest is changed while it runs, under host.mu.
	health backend.Health // "" goes by loads
	stuck  bool           // it accepts probes and jobs and says nothing
	down   bool           // nothing listens
	probes int
	// refuses is the status of answers to jobs, refusal their error; jobs counts them.
	refuses    int
	refusal    error
	operations []inference.Operation
	features   inference.Features
	context    inference.Tokens
	jobs       int
	// holds keeps jobs until host.release.
	holds bool
}

// box is a container.
type box struct {
	id      docker.ID
	spec    docker.Spec
	program program
	running bool
	started time.Time
	death   docker.Exit
	jobs    int
	mostJob int
	timer   *time.Timer
}

func newHost() *host {
	return &host{
		programs: map[string]*program{}, boxes: map[docker.ID]*box{}, servers: map[string]*program{},
		created: map[string]int{}, removed: map[string]int{}, pulls: map[string]int{}, most: map[string]int{},
		hang: map[string]bool{}, known: map[docker.ID]bool{},
		slow: map[string]time.Duration{},
	}
}

func (h *host) Reconcile(context.Context) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.swept++
	for id, b := range h.boxes {
		if !h.known[id] {
			h.removed[b.spec.Model]++
			delete(h.boxes, id)
		}
	}
	return nil, h.engineErr
}

// Adopt finds running boxes that were asked for in the same way.
func (h *host) Adopt(_ context.Context, wanted []*docker.Spec) (out []docker.Adopted, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, want := range wanted {
		for id, b := range h.boxes {
			s := b.spec
			s.Name, s.HostPort = "", 0
			if b.running && !h.known[id] && reflect.DeepEqual(&s, want) {
				h.known[id] = true
				out = append(out, docker.Adopted{Created: docker.Created{ID: id}, For: i, Port: b.spec.HostPort})
				break
			}
		}
	}
	return out, h.engineErr
}

func (h *host) ImageDigest(_ context.Context, image string) (string, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.absent[image] {
		return "", false, h.engineErr
	}
	return "sha256:" + image, true, h.engineErr
}

func (h *host) EnsureImage(ctx context.Context, image string, progress func(docker.Progress)) error {
	h.mu.Lock()
	h.pulls[image]++
	wait, err, mute := max(h.pullTime, h.slow[image]), h.pullErr, h.mute
	h.mu.Unlock()
	if wait > 0 {
		if !mute {
			progress(docker.Progress{Image: image, Done: 42, Total: 100e6})
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err == nil {
		h.mu.Lock()
		delete(h.absent, image)
		h.mu.Unlock()
	}
	return err
}

func (h *host) Create(ctx context.Context, s *docker.Spec) (docker.Created, error) {
	h.mu.Lock()
	if h.hang[s.Model] {
		h.mu.Unlock()
		<-ctx.Done()
		return docker.Created{}, fault.Wrap(fault.DockerFailed, "create container", ctx.Err())
	}
	defer h.mu.Unlock()
	if h.engineErr != nil {
		return docker.Created{}, h.engineErr
	}
	h.next++
	h.created[s.Model]++
	p := h.programs[s.Model]
	if p == nil {
		p = &program{slots: 1}
	}
	b := &box{id: docker.ID(fmt.Sprint("box", h.next)), spec: *s, program: *p}
	h.boxes[b.id], h.known[b.id] = b, true
	for _, d := range s.Devices {
		n := 0
		for _, o := range h.boxes {
			if slices.Contains(o.spec.Devices, d) {
				n++
			}
		}
		h.most[d] = max(h.most[d], n)
	}
	return docker.Created{ID: b.id, Missing: p.unconfined}, nil
}

// Address is the port on this machine: that of a container in a network of its own
// would say nothing about which container it is.
func (h *host) Address(_ context.Context, id docker.ID) (netip.AddrPort, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), h.boxes[id].spec.HostPort), nil
}

func (h *host) Start(_ context.Context, id docker.ID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.boxes[id]
	h.ports = append(h.ports, b.spec.HostPort)
	if slices.Contains(h.claimed, b.spec.HostPort) {
		return fault.New(fault.ContainerPortConflict, "start container", "")
	}
	if b.program.startErr != nil {
		return b.program.startErr
	}
	b.running, b.started = true, time.Now()
	if b.program.dies > 0 {
		b.timer = time.AfterFunc(b.program.dies, func() { h.die(b, b.program.death) })
	}
	return nil
}

// die ends a container as if by itself.
func (h *host) die(b *box, why *docker.Exit) {
	h.mu.Lock()
	if !b.running {
		h.mu.Unlock()
		return
	}
	b.running = false
	if why == nil {
		why = &docker.Exit{Fault: fault.New(fault.ContainerExited, "run container", "exit status 137")}
	}
	b.death = *why
	b.death.Status.State = "exited"
	watchers := slices.Clone(h.watchers)
	if h.mute {
		watchers = nil
	}
	h.mu.Unlock()
	for _, w := range watchers {
		w <- docker.Event{Kind: docker.Died, ID: b.id}
	}
}

func (h *host) ExitReason(_ context.Context, id docker.ID) (docker.Exit, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.boxes[id]
	switch {
	case b == nil:
		return docker.Exit{}, fault.New(fault.ContainerGone, "inspect container", "")
	case b.running:
		return docker.Exit{Fault: fault.New(fault.ContainerExited, "", ""), Lines: []string{"still here"},
			Status: docker.Status{State: "running", Running: true}}, nil
	}
	return b.death, nil
}

// refuses is the engine's answer to the stop or removal of a container when it
// has a failure.
func (h *host) refuses(ctx context.Context, id docker.ID) error {
	h.mu.Lock()
	err, b := h.engineErr, h.boxes[id]
	hangs := b != nil && h.hang[b.spec.Model]
	h.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return fault.Wrap(fault.DockerFailed, "remove container", ctx.Err())
	}
	return err
}

func (h *host) Stop(ctx context.Context, id docker.ID) error {
	if err := h.refuses(ctx, id); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if b := h.boxes[id]; b != nil {
		b.running = false
		if b.timer != nil {
			b.timer.Stop()
		}
	}
	return ctx.Err()
}

func (h *host) Remove(ctx context.Context, id docker.ID) error {
	if err := h.refuses(ctx, id); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if b := h.boxes[id]; b != nil {
		h.removed[b.spec.Model]++
		delete(h.boxes, id)
	}
	return ctx.Err()
}

func (h *host) Watch(ctx context.Context) <-chan docker.Event {
	in, out := make(chan docker.Event), make(chan docker.Event)
	h.mu.Lock()
	h.watchers = append(h.watchers, in)
	h.mu.Unlock()
	go func() {
		defer close(out)
		for {
			select {
			case e := <-in:
				select {
				case out <- e:
				case <-ctx.Done():
				}
			case <-ctx.Done():
				h.mu.Lock()
				h.watchers = slices.DeleteFunc(h.watchers, func(w chan docker.Event) bool { return w == in })
				h.mu.Unlock()
				return
			}
		}
	}()
	return out
}

// change changes how all boxes of a model behave, and those to come.
func (h *host) change(model string, f func(*program)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.programs[model] != nil {
		f(h.programs[model])
	}
	for _, b := range h.boxes {
		if b.spec.Model == model {
			f(&b.program)
		}
	}
	if h.servers[model] != nil {
		f(h.servers[model])
	}
}

// kill ends a model's containers.
func (h *host) kill(model string) {
	h.mu.Lock()
	var boxes []*box
	for _, b := range h.boxes {
		if b.spec.Model == model && b.running {
			boxes = append(boxes, b)
		}
	}
	h.mu.Unlock()
	for _, b := range boxes {
		h.die(b, nil)
	}
	synctest.Wait()
}

func (h *host) count(m map[string]int, name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return m[name]
}

func (h *host) left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.boxes)
}

// inBubble runs a test with a clock of its own.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}
