package liverunner

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

var errNoContainer = errors.New("its container does not run")

// container is where the container of a runner is reached.
type container struct {
	// port is the runner's port inside, at the address of it. Other ports are there too, unless the engine
	// publishes that one alone.
	port uint16
	at   netip.AddrPort
}

// dialTime bounds connections to runners.
const dialTime = 5 * time.Second

// SetContainer says where the container of a static runner is reached, by its label; the zero address says that it
// does not run.
func (s *Server) SetContainer(label string, at netip.AddrPort) {
	r, ok := s.registry.Named(label)
	if !ok {
		return
	}
	host, port := hostAndPort(r.Spec.URL)
	s.mu.Lock()
	if at.IsValid() {
		s.containers[host] = container{port, at}
	} else {
		delete(s.containers, host)
	}
	s.mu.Unlock()
	s.upstream.CloseIdleConnections() // to the container before this one
}

func hostAndPort(u *url.URL) (string, uint16) {
	port, _ := strconv.ParseUint(u.Port(), 10, 16) // a container's address always has one
	return u.Hostname(), uint16(port)
}

// dial connects to a runner: to its container by the container's name, to others by their address.
func (s *Server) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, Control: Permit}
	host, port, err := net.SplitHostPort(address)
	if err != nil || !liverunner.IsContainer(host) {
		return d.DialContext(ctx, network, address)
	}
	s.mu.Lock()
	c, ok := s.containers[host]
	s.mu.Unlock()
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case !ok || err != nil:
		return nil, errNoContainer
	case uint16(n) == c.port:
		return d.DialContext(ctx, network, c.at.String())
	case c.at.Addr().IsLoopback():
		// On this machine's own address other ports are not the container's.
		return nil, errNoContainer
	}
	return d.DialContext(ctx, network, netip.AddrPortFrom(c.at.Addr(), uint16(n)).String())
}
