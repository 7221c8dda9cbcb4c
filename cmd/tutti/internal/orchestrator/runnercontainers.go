package orchestrator

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	live "github.com/tuttinode/tutti/core/liverunner"
)

// runnerKind is in the names and labels of the containers of live runners.
const runnerKind = "live-runner"

// checkContainer refuses a runner whose container this node cannot start.
func (p *Part) checkContainer(spec *live.Spec) error {
	c := spec.Program.Container
	if c == nil {
		return nil
	}
	refuse := func(why string) error {
		return fault.New(fault.LiveRunnersInvalid, "read -liveRunnerConfig", fmt.Sprintf("runner %q: %s", spec.Label, why))
	}
	if p.models.Manager == nil {
		return refuse("image needs -aiWorker, which uses the Docker Engine")
	}
	for _, name := range c.Capabilities {
		if !models.Grantable(name) {
			return refuse(name + " is no capability that a container can be given")
		}
	}
	return nil
}

// containerOf returns what runs a runner's container once.
func (m *managedRunners) containerOf(r *managedRunner, devices []string, started func(), broken func() error) func(
	context.Context) error {
	want, port := r.spec.Program, containerPort(&r.spec)
	c := &manager.ExtraContainer{
		Kind: runnerKind, Name: r.spec.Label, Image: want.Container.Image, Command: want.Command,
		// The entry's own variables come last, and count.
		Env:     append([]string{"PORT=" + strconv.Itoa(int(port))}, want.Env...),
		Devices: devices, Port: port, Broken: broken,
		Sandbox: models.Sandbox{
			Network: want.Container.Network, Root: rootOf(want.Container.ReadOnly),
			MemoryBytes: want.Container.MemoryBytes, Processes: want.Container.Processes,
			Capabilities: want.Container.Capabilities,
		},
	}
	c.Use(m.p.models.Manager)
	return func(ctx context.Context) error {
		defer m.server.SetContainer(r.spec.Label, netip.AddrPort{})
		return c.Run(ctx, func(at netip.AddrPort) {
			m.server.SetContainer(r.spec.Label, at)
			started()
		})
	}
}

func rootOf(readOnly *bool) models.Root {
	switch {
	case readOnly == nil:
		return models.RootAuto
	case *readOnly:
		return models.RootReadOnly
	}
	return models.RootWritable
}

// containerPort is where a runner listens inside its container.
func containerPort(spec *live.Spec) uint16 {
	n, _ := strconv.ParseUint(spec.URL.Port(), 10, 16) // a container's address has one
	return uint16(n)
}
