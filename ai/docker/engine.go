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

// Options are an Engine's settings.
type Options struct {
	// Host is the engine's address, "unix:///var/run/docker.sock"; "" takes
	// DOCKER_HOST and the variables that belong to it, else the default socket.
	Host string
	// Owner is the value of our containers' label creator_id: the node's service
	// address, else its account, else "". Nodes on one machine need different owners.
	Owner string
	// Key returns a secret that is this node's alone and lasts over its starts. It marks containers,
	// so that a later run may adopt them; nil marks and adopts none.
	Key func() ([]byte, error)
	// Log is where state changes go; nil drops them.
	Log *slog.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Engine is a client of the Docker Engine. Its errors are faults whose codes are derived
// from the engine's texts. Methods may be called concurrently.
type Engine struct {
	api   *client.Client
	owner string
	log   *slog.Logger
	now   func() time.Time
	// key returns the key that marks containers, nil without one; keyWarning says once why there
	// is none.
	key        func() ([]byte, error)
	keyWarning sync.Once
	// isLocal reports whether an interface of this machine has an address.
	isLocal func(name string, ip netip.Addr) bool

	// life ends with Close; pulls that callers share run under it.
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	networkMu sync.Mutex // held while a network is created
	subnets   subnetPool

	mu    sync.Mutex // covers pulls and endpoints; begin holds it, so that no work starts after Close
	pulls map[string]*pull
	// endpoints are the addresses of this run's containers.
	endpoints map[ID]endpoint
}

// Open makes a client and does not connect yet: use Ping for that. The error is
// DockerMissing if the address is invalid, DockerIncompatible if the node does not run on
// Linux.
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
	if o.Key == nil {
		o.Key = func() ([]byte, error) { return nil, nil }
	}
	e := &Engine{
		key: sync.OnceValues(o.Key),
		api: api, owner: o.Owner, log: o.Log, now: o.Now, isLocal: interfaceHas,
		pulls: make(map[string]*pull), endpoints: make(map[ID]endpoint),
	}
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close ends pulls and watches and waits for them. Containers keep running.
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

// Version is the engine's version.
type Version struct {
	// Engine is its release, "20.10.24"; API the negotiated version, "1.41".
	Engine, API string
	// Arch is the machine's architecture in Docker's notation, "amd64".
	Arch string
}

// Ping checks whether the engine can be reached and used, and negotiates the API version.
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
