package manager

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// startTimeout bounds the creation and start of a container, stopTimeout its stop and
	// removal, inspectTimeout its inspection.
	startTimeout   = 3 * time.Minute
	stopTimeout    = 30 * time.Second
	inspectTimeout = 10 * time.Second
	// portTries is how many ports are tried when a port or the container name derived from
	// it is taken.
	portTries = 8
	// sharedMemory is the shared memory for processes that split a model over several GPUs.
	sharedMemory = 8 << 30
)

// container is a runner's container, from the claim of its GPUs to its removal.
type container struct {
	r          *runner
	allocation *allocation
	image      string
	real       []string
	port       uint16
	id         docker.ID
	// at is its address once it was started; missing names the restrictions that it lacks.
	at      netip.AddrPort
	missing []string
	// began is when it was made; loaded says that it was ready since.
	began  time.Time
	loaded bool
}

// place claims GPUs, evicting idle cold models if necessary.
func (c *container) place(ctx context.Context, idle func() (time.Time, bool)) error {
	r := c.r
	c.allocation = &allocation{idle: idle, reservation: r.reservation, waits: r.model.pending.of}
	if r.entry.cold() {
		c.allocation.kept = r.model.pool.kept
		c.allocation.evict = func() { poke(r.evict) }
	}
	wanted := func() bool { return !r.entry.cold() || r.model.pending.any() }
	waits := func() {
		if r.now.progress == "" {
			r.report(func(s *status) { s.progress = "waiting for a GPU" })
		}
	}
	if err := r.shared.devices.claim(ctx, c.allocation, r.entry.need(), wanted, waits); err != nil {
		c.allocation = nil
		return err
	}
	shown, real := r.shared.devices.ids(c.allocation.slots)
	c.real = real
	r.report(func(s *status) { s.devices, s.progress = shown, "" })
	return nil
}

// launch creates and starts the container. A port that was taken meanwhile is excluded
// from the next try, and released afterwards.
func (c *container) launch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if c.resume(ctx) {
		return nil
	}
	if c.id != "" {
		return fault.New(fault.DockerFailed, "start a container", "its last container cannot be removed")
	}
	ports := c.r.shared.o.Ports
	for try := 1; ; try++ {
		port, err := ports.Take(c.r.entry.Model.Capability.Pipeline(), c.real)
		if err != nil {
			return err
		}
		c.port = port
		err = c.start(ctx)
		if err == nil {
			return nil
		}
		taken := errors.Is(err, fault.ContainerPortConflict) || errors.Is(err, fault.ContainerNameConflict)
		if !taken || try == portTries || c.remove(ctx) != nil {
			return err // cleanUp removes what was created
		}
		c.port = 0
		defer ports.Release(port)
	}
}

func (c *container) start(ctx context.Context) error {
	o := c.r.shared.o
	spec := c.r.spec(c.image, c.real, c.r.rootWritable || c.r.entry.Sandbox.Root == models.RootWritable)
	spec.Name, spec.HostPort = c.name(), c.port
	made, err := o.Engine.Create(ctx, spec)
	if err != nil {
		return err
	}
	c.id, c.missing = made.ID, c.r.degraded(made.Missing)
	// Subscribe before the start: it may end at once.
	c.r.shared.events.subscribe(c.id, c.r.ended)
	if err := o.Engine.Start(ctx, c.id); err != nil {
		return err
	}
	c.at, err = o.Engine.Address(ctx, c.id)
	return err
}

// spec is what the runner's containers are, but for their name and port.
func (r *runner) spec(image string, devices []string, rootWritable bool) *docker.Spec {
	e, s := r.entry, &r.entry.Sandbox
	spec := &docker.Spec{
		Image: image, Pipeline: e.Model.Capability.Pipeline(), Model: e.Model.ID, Env: environment(e.Env),
		ModelsDir: r.shared.o.ModelsDir, Devices: devices, MemoryBytes: s.MemoryBytes,
		Permissions: docker.Permissions{
			Network: s.Network, WritableModels: s.WriteModels, Capabilities: s.Capabilities, Processes: s.Processes,
			WritableRoot: rootWritable,
		},
	}
	if len(devices) > 1 {
		spec.ShmBytes = sharedMemory
	}
	return spec
}

// degraded adds to the restrictions that a container lacks the one that its program cannot have.
func (r *runner) degraded(missing []string) []string {
	if r.rootWritable {
		missing = append(missing, "root (its program needs to change files of its image)")
	}
	return missing
}

// environment formats settings for the engine. They may hold tokens.
func environment(settings models.Settings) []string {
	out := make([]string, len(settings))
	for i, s := range settings {
		out[i] = s.Name + "=" + s.Value()
	}
	return out
}

// name returns the container's name; its port makes it unique.
func (c *container) name() string {
	m := c.r.entry.Model
	return docker.Name(m.Capability.Pipeline(), m.ID, c.port)
}

// url returns where the runner listens.
func (c *container) url() string { return "http://" + c.at.String() }

// inspectExit returns why the container ended, false while it runs.
func (c *container) inspectExit(ctx context.Context) (exit, bool) {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	d, err := c.r.shared.o.Engine.ExitReason(ctx, c.id)
	switch {
	case errors.Is(err, fault.ContainerGone):
		return exit{kind: failed, why: err}, true
	case err != nil:
		// The engine has a problem; the runner's probes decide.
		return exit{}, false
	case !d.Status.Ended():
		return exit{}, false
	}
	return exit{kind: failed, why: d.Fault, lines: d.Lines}, true
}

// addLogs adds the container's last lines to a failed probe, and the reason if they name
// one.
func (c *container) addLogs(ctx context.Context, e exit) exit {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	d, err := c.r.shared.o.Engine.ExitReason(ctx, c.id)
	if err != nil {
		return e
	}
	e.lines = d.Lines
	known := d.Fault != nil && d.Fault.Code != fault.ContainerExited && d.Fault.Code != fault.ImageMismatch
	if d.Fault != nil && (known || d.Status.Ended()) {
		e.why = d.Fault
	}
	return e
}

// pull pulls its image and reports the progress.
func (c *container) pull(ctx context.Context) error {
	o := c.r.shared.o
	ctx, cancel := context.WithTimeout(ctx, o.PullTimeout)
	defer cancel()
	// seen holds the latest text: the pull must not block.
	seen, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- o.Engine.EnsureImage(ctx, c.image, func(p docker.Progress) {
			select {
			case <-seen:
			default:
			}
			select {
			case seen <- p.String():
			default:
			}
		})
	}()
	for {
		select {
		case text := <-seen:
			c.r.report(func(s *status) { s.state, s.progress = inference.Pulling, text })
		case err := <-done:
			return err
		}
	}
}
