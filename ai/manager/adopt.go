package manager

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
)

// The containers of warm models survive the node: when it hands over to another process, when it was
// killed, and at each stop with Options.KeepContainers. The next run of the node adopts
// those that its entries want as they are, before it makes any, and removes the others.

// left is a container of an earlier run that a runner has adopted and does not use yet.
type left struct {
	docker.Adopted
	image        string
	devices      []string
	rootWritable bool
}

// HandOver makes the containers of warm models stay for the process that takes over.
func (m *Manager) HandOver(context.Context) error {
	m.shared.keep.Store(m.o.Adopt)
	return nil
}

// keeps reports whether a container stays, because the node stops and its next run adopts it.
func (c *container) keeps(node context.Context, why exitKind) bool {
	return why == stopped && node.Err() != nil && c.id != "" && c.r.reservation != nil && c.r.shared.keep.Load()
}

// warmRunners returns the runners of warm models whose GPUs are known.
func (m *Manager) warmRunners() (out []*runner) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.entries {
		if p.runner.reservation != nil {
			out = append(out, p.runner)
		}
	}
	return out
}

// adopt finds containers of an earlier run for the runners of warm models.
func (m *Manager) adopt(ctx context.Context) error {
	if !m.o.Adopt {
		return nil
	}
	all := m.warmRunners()
	if err := m.adoptFor(ctx, all, false); err != nil {
		return err
	}
	// A container may have gotten a writable root because it needed one.
	return m.adoptFor(ctx, slices.DeleteFunc(all, func(r *runner) bool {
		return r.left.Load() != nil || r.entry.Sandbox.Root != models.RootAuto
	}), true)
}

func (m *Manager) adoptFor(ctx context.Context, all []*runner, rootWritable bool) error {
	var wanted []*docker.Spec
	var whose []*runner
	for _, r := range all {
		devices, planned := m.shared.devices.planned(r.reservation)
		image, err := m.o.Images(r.entry)
		if planned && err == nil {
			s := r.spec(image, devices, rootWritable || r.entry.Sandbox.Root == models.RootWritable)
			wanted, whose = append(wanted, s), append(whose, r)
		}
	}
	found, err := m.o.Engine.Adopt(ctx, wanted)
	if err != nil {
		return err
	}
	for _, a := range found {
		s, r := wanted[a.For], whose[a.For]
		m.o.Ports.Hold(a.Port)
		r.left.Store(&left{Adopted: a, image: s.Image, devices: s.Devices, rootWritable: rootWritable})
		select {
		case <-r.removed: // its entry was removed meanwhile
			r.dropLeft(ctx)
		default:
		}
	}
	return nil
}

// planned returns the devices, as the engine names them, that a warm runner's containers get.
func (d *devices) planned(r *reservation) (real []string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.real {
		return nil, len(d.gpus.Devices) > 0
	}
	return d.names(r.devices), r.devices != nil
}

// resume makes the runner's adopted container its present one, and reports whether it has one that
// still runs and is what it would start now.
func (c *container) resume(ctx context.Context) bool {
	l := c.r.left.Swap(nil)
	if l == nil {
		return false
	}
	c.r.rootWritable = l.rootWritable
	c.id, c.port, c.missing = l.ID, l.Port, c.r.degraded(l.Missing)
	c.r.shared.events.subscribe(c.id, c.r.ended)
	if l.image == c.image && slices.Equal(l.devices, c.real) {
		if _, over := c.inspectExit(ctx); !over {
			var err error
			if c.at, err = c.r.shared.o.Engine.Address(ctx, c.id); err == nil {
				c.r.log.Info("a model's container goes on", "container", c.name())
				return true
			}
		}
	}
	if err := c.remove(ctx); err != nil {
		c.r.log.Warn("a container that is not wanted any more could not be removed", fault.Attr(err))
		return false
	}
	c.r.shared.o.Ports.Release(c.port)
	c.port = 0
	return false
}

// dropLeft removes the adopted container of a runner that ends before it used it, unless the
// node's next run gets it.
func (r *runner) dropLeft(node context.Context) {
	l := r.left.Swap(nil)
	if l == nil {
		return
	}
	if c := (&container{r: r, id: l.ID, port: l.Port}); !c.keeps(node, stopped) {
		c.cleanUp(node, func(error) {})
	}
}

// removeOrphans removes the containers of an earlier run of a node that wants none now.
func (m *Manager) removeOrphans(ctx context.Context) {
	if err := m.shared.strays.sweep(ctx); err != nil && ctx.Err() == nil {
		m.o.Log.Warn("containers of an earlier run may be left", fault.Attr(err))
	}
}
