package docker

import (
	"context"
	"log/slog"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// Options are what an Engine works with.
type Options struct {
	// Host is the engine's address, "unix:///var/run/docker.sock"; "" takes
	// DOCKER_HOST and the variables that belong to it, else the default socket.
	Host string
	// Owner is the value of our containers' label creator_id: the node's service
	// address, else its account, else "". Two nodes on one machine need two.
	Owner string
	// Log is where state changes go; nil drops them.
	Log *slog.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Engine is the Docker Engine as the node uses it. Its errors are faults whose
// codes are recognised from the engine's own words. All methods may be called at
// once.
type Engine struct {
	api   *client.Client
	owner string
	log   *slog.Logger
	now   func() time.Time
	// here reports whether an interface of this machine has an address.
	here func(name string, ip netip.Addr) bool

	// life ends with Close; pulls that are shared among callers run under it.
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	networking sync.Mutex // held while a network is made
	block      block

	mu    sync.Mutex // covers pulls and places, and that nothing begins to run after Close
	pulls map[string]*pull
	// places are where the containers of this run are reached.
	places map[ID]place
}

// Open prepares to talk to the engine and connects to nothing yet: Ping tells
// whether it is there. The error is DockerMissing where the address makes no
// sense, DockerIncompatible where the node does not run on Linux.
func Open(o Options) (*Engine, error) {
	const op = "open Docker Engine"
	if runtime.GOOS != "linux" {
		return nil, fault.New(fault.DockerIncompatible, op, "AI runner containers need Linux, this is "+runtime.GOOS)
	}
	settings := []client.Opt{client.FromEnv}
	if o.Host != "" {
		settings = append(settings, client.WithHost(o.Host))
	}
	api, err := client.New(settings...)
	if err != nil {
		return nil, fault.Wrap(fault.DockerMissing, op, err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &Engine{
		api: api, owner: o.Owner, log: o.Log, now: o.Now, here: interfaceHas,
		pulls: make(map[string]*pull), places: make(map[ID]place),
	}
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close ends what runs for callers that have left and waits for it. Containers
// stay as they are.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.end()
	e.mu.Unlock()
	e.running.Wait()
	return e.api.Close()
}

// begin runs work until it ends, unless the engine was closed.
func (e *Engine) begin(work func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.life.Err() != nil {
		return false
	}
	e.running.Go(work)
	return true
}

// Version is what the engine says of itself.
type Version struct {
	// Engine is its release, "20.10.24"; API the version both sides speak, "1.41".
	Engine, API string
	// Arch is the machine's architecture in Docker's words, "amd64".
	Arch string
}

// Ping finds out whether the engine is there and can be used, and agrees with it
// on a version of the API.
func (e *Engine) Ping(ctx context.Context) (Version, error) {
	const op = "reach Docker Engine"
	ping, err := e.api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true})
	if err != nil {
		return Version{}, e.fault(op, err)
	}
	if ping.OSType != "" && ping.OSType != "linux" {
		return Version{}, fault.New(fault.DockerIncompatible, op, "the engine runs containers of "+ping.OSType)
	}
	v, err := e.api.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return Version{}, e.fault(op, err)
	}
	return Version{Engine: v.Version, API: e.api.ClientVersion(), Arch: v.Arch}, nil
}
