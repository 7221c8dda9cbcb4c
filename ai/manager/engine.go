package manager

import (
	"context"
	"net/netip"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
)

// Engine is the part of docker.Engine that the manager uses. Every call honors its ctx,
// and gets one with a deadline.
type Engine interface {
	// Adopt finds containers of an earlier run that Reconcile leaves alone; both come before the first Create.
	Adopt(ctx context.Context, wanted []*docker.Spec) ([]docker.Adopted, error)
	Reconcile(ctx context.Context) (removed []string, err error)
	ImageDigest(ctx context.Context, image string) (digest string, present bool, err error)
	EnsureImage(ctx context.Context, image string, progress func(docker.Progress)) error
	Create(ctx context.Context, s *docker.Spec) (docker.Created, error)
	Start(ctx context.Context, id docker.ID) error
	// Address is where a started container is reached.
	Address(ctx context.Context, id docker.ID) (netip.AddrPort, error)
	// ExitReason also inspects a running container: its last lines may name the problem.
	ExitReason(ctx context.Context, id docker.ID) (docker.Exit, error)
	Stop(ctx context.Context, id docker.ID) error
	Remove(ctx context.Context, id docker.ID) error
	Watch(ctx context.Context) <-chan docker.Event
}

// Backends makes the client of an entry's runner at url.
type Backends func(e *Entry, url string) (backend.Backend, error)

// Ports allocates ports of the host: see docker.Ports.
type Ports interface {
	Take(pipeline string, devices []string) (uint16, error)
	Hold(port uint16)
	Release(port uint16)
}
