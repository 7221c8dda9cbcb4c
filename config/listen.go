package config

import (
	"net"
	"net/netip"
	"strconv"
)

// ListenAddr is a complete address to listen on.
type ListenAddr struct {
	// Host is a name, an IP address, or "" for every interface.
	Host string
	// Port 0 lets the system choose.
	Port int
	// Plaintext asks for HTTP without TLS, HTTP/2 included.
	Plaintext bool
}

// Addr is host:port as net.Listen takes it.
func (l ListenAddr) Addr() string { return net.JoinHostPort(l.Host, strconv.Itoa(l.Port)) }

// String is Addr, with http:// before it when it is plaintext.
func (l ListenAddr) String() string {
	if l.Plaintext {
		return "http://" + l.Addr()
	}
	return l.Addr()
}

// Loopback reports whether only this machine can reach the address.
func (l ListenAddr) Loopback() bool {
	ip, err := netip.ParseAddr(l.Host)
	if err != nil {
		return l.Host == "localhost"
	}
	return ip.IsLoopback()
}

// overlaps reports whether two listeners cannot both be opened.
func (l ListenAddr) overlaps(o ListenAddr) bool {
	if l.Port != o.Port || l.Port == 0 {
		return false
	}
	return l.Host == o.Host || l.everywhere() || o.everywhere()
}

func (l ListenAddr) everywhere() bool {
	if l.Host == "" {
		return true
	}
	ip, err := netip.ParseAddr(l.Host)
	return err == nil && ip.IsUnspecified()
}

// listen completes what was given with a default host and port.
func (a addr) listen(host string, port int) ListenAddr {
	if !a.given {
		return ListenAddr{Host: host, Port: port}
	}
	if a.host != "" {
		host = a.host
	}
	return ListenAddr{Host: host, Port: a.portOr(port), Plaintext: a.plaintext}
}
