package docker

import (
	"context"
	"net/netip"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// endpoint is where a container of this run is reached.
type endpoint struct {
	// network is its internal network, "" if its port is published instead.
	network string
	// containerPort is its port in the network, hostPort the published one on 127.0.0.1.
	containerPort, hostPort uint16
}

func (e *Engine) setEndpoint(id ID, p endpoint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.endpoints[id] = p
}

// forgetEndpoint removes and returns a container's endpoint.
func (e *Engine) forgetEndpoint(id ID) endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.endpoints[id]
	delete(e.endpoints, id)
	return p
}

// known reports whether a container is one of this run, made or adopted.
func (e *Engine) known(id ID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.endpoints[id]
	return known
}

// inUse reports whether a container of this run uses a network.
func (e *Engine) inUse(network string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.endpoints {
		if p.network == network {
			return true
		}
	}
	return false
}

// Address returns where this machine reaches a started container. It changes with every start.
// The error is ContainerGone if there is no such container, ContainerExited if it has no
// address because it has ended.
func (e *Engine) Address(ctx context.Context, id ID) (netip.AddrPort, error) {
	const op = "find a container's address"
	e.mu.Lock()
	p, known := e.endpoints[id]
	e.mu.Unlock()
	switch {
	case !known:
		return netip.AddrPort{}, fault.New(fault.ContainerGone, op, "")
	case p.network == "":
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), p.hostPort), nil
	}
	got, err := e.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return netip.AddrPort{}, e.fault(op, err)
	}
	if settings := got.Container.NetworkSettings; settings != nil {
		for _, n := range settings.Networks {
			if n.NetworkID == p.network && n.IPAddress.IsValid() {
				return netip.AddrPortFrom(n.IPAddress, p.containerPort), nil
			}
		}
	}
	return netip.AddrPort{}, fault.New(fault.ContainerExited, op, "it has no address")
}
