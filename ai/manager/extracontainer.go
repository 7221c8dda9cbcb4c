package manager

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
)

// ExtraContainer is a container of the operator that is no model, such as that of a live runner. It has the sandbox
// of a model's, and its own ports, and no GPU but those that it is given: see ClaimGPUs.
type ExtraContainer struct {
	// Kind and Name become its name and labels.
	Kind, Name string
	Image      string
	// Command are its arguments, nil for the image's; Env is NAME=value.
	Command, Env []string
	// Devices are the GPUs that it gets, Port is where it listens inside.
	Devices []string
	Port    uint16
	Sandbox models.Sandbox
	// Broken returns why it has to be started again while it runs, nil for no reason.
	Broken func() error

	m *Manager
	// rootWritable: an earlier run failed because of its read-only root.
	rootWritable bool
}

// lookInterval is the interval between calls of Broken.
const lookInterval = time.Second

// Use makes the manager's engine the one that runs the container.
func (c *ExtraContainer) Use(m *Manager) { c.m = m }

// Run pulls the image if it is not there, starts the container, calls started with its address, and waits until it
// ends, is broken, or ctx ends. Then the container is removed. The error says why it ended.
func (c *ExtraContainer) Run(ctx context.Context, started func(netip.AddrPort)) error {
	o := &c.m.o
	switch {
	case o.NoContainers != nil:
		return o.NoContainers
	case o.Engine == nil:
		return fault.New(fault.ModelNoEngine, "start a container", "no Docker Engine is set up")
	}
	if err := c.m.shared.strays.sweep(ctx); err != nil {
		return err
	}
	c.m.wantEngine()
	pull, cancel := context.WithTimeout(ctx, o.PullTimeout)
	err := o.Engine.EnsureImage(pull, c.Image, func(docker.Progress) {})
	cancel()
	if err != nil {
		return err
	}
	port, err := o.Ports.Take(c.Kind, c.Devices)
	if err != nil {
		return err
	}
	defer o.Ports.Release(port)
	err = c.runOn(ctx, port, started)
	if errors.Is(err, fault.ContainerRootReadOnly) && c.Sandbox.Root == models.RootAuto {
		c.rootWritable = true
	}
	return err
}

// runOn runs it with a port of the host.
func (c *ExtraContainer) runOn(ctx context.Context, port uint16, started func(netip.AddrPort)) error {
	engine := c.m.o.Engine
	begin, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	made, err := engine.Create(begin, c.spec(port))
	if err != nil {
		return err
	}
	if len(made.Missing) > 0 {
		c.m.o.Log.Warn("the Docker Engine cannot restrict a container in full", "container", c.Name, "missing",
			strings.Join(made.Missing, ", "))
	}
	ended := make(chan struct{}, 1)
	c.m.shared.events.subscribe(made.ID, ended)
	defer c.remove(ctx, made.ID)
	if err := engine.Start(begin, made.ID); err != nil {
		return err
	}
	at, err := engine.Address(begin, made.ID)
	if errors.Is(err, fault.ContainerExited) {
		return c.whyEnded(ctx, made.ID, err)
	}
	if err != nil {
		return err
	}
	started(at)
	return c.watch(ctx, made.ID, ended)
}

func (c *ExtraContainer) spec(port uint16) *docker.Spec {
	s := &docker.Spec{
		Name: docker.Name(c.Kind, c.Name, port), Image: c.Image, Pipeline: c.Kind, Model: c.Name,
		Command: c.Command, Env: c.Env, HostPort: port, ContainerPort: c.Port, Devices: c.Devices,
		MemoryBytes: c.Sandbox.MemoryBytes, Permissions: docker.Permissions{
			Network: c.Sandbox.Network, Capabilities: c.Sandbox.Capabilities, Processes: c.Sandbox.Processes,
			WritableRoot: c.Sandbox.Root == models.RootWritable || c.rootWritable,
		},
	}
	if len(c.Devices) > 1 {
		s.ShmBytes = sharedMemory
	}
	return s
}

// errStopped is why a container ended that the node stopped.
var errStopped = errors.New("the node stops it")

// watch waits until the container has ended, or must.
func (c *ExtraContainer) watch(ctx context.Context, id docker.ID, ended <-chan struct{}) error {
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		select {
		case <-ended:
			if err := c.whyEnded(ctx, id, nil); err != nil {
				return err
			}
		case <-look.C:
			if c.Broken == nil {
				continue
			}
			if why := c.Broken(); why != nil {
				return why
			}
		case <-ctx.Done():
			return errStopped
		}
	}
}

// whyEnded is why the container does not run, or otherwise if it runs or nothing is known.
func (c *ExtraContainer) whyEnded(ctx context.Context, id docker.ID, otherwise error) error {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	d, err := c.m.o.Engine.ExitReason(ctx, id)
	switch {
	case errors.Is(err, fault.ContainerGone):
		return err
	case err != nil || !d.Status.Ended():
		return otherwise
	}
	if d.Fault == nil {
		return fault.New(fault.ContainerExited, "run container", "")
	}
	return d.Fault
}

// remove stops and removes the container.
func (c *ExtraContainer) remove(ctx context.Context, id docker.ID) {
	c.m.shared.events.unsubscribe(id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err := errors.Join(c.m.o.Engine.Stop(ctx, id), c.m.o.Engine.Remove(ctx, id))
	if err != nil {
		c.m.o.Log.Warn("a container could not be removed", "container", c.Name, fault.Attr(err))
	}
}
