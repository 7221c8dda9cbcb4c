package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// DefaultServicePort is the port orchestrators are reached at.
const DefaultServicePort = 8935

var (
	errHostMissing = errors.New("the host is missing")
	errHostForm    = errors.New("not a host name or IP address with an optional port")
	errPort        = errors.New("the port is not a number from 0 to 65535")
	errPath        = errors.New("a path has no place in this address")
	errScheme      = errors.New("only https:// and http:// are understood")
)

// hostName is the form of a host's name, compiled at the first use. Read-only.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_.])?$`)
})

// HostPort is where an orchestrator is reached.
type HostPort struct {
	// Plaintext is set by http://; otherwise TLS is spoken.
	Plaintext bool
	// Host is a name or an IP address without brackets.
	Host string
	Port int
}

// ParseHostPort reads host, host:port or either with https:// or http:// before
// it; https is assumed. defaultPort is taken where none is given.
func ParseHostPort(s string, defaultPort int) (HostPort, error) {
	a, err := splitAddr(s)
	if err != nil {
		return HostPort{}, err
	}
	if a.host == "" {
		return HostPort{}, errHostMissing
	}
	return HostPort{Plaintext: a.plaintext, Host: a.host, Port: a.portOr(defaultPort)}, nil
}

// IsZero reports whether there is no address.
func (h HostPort) IsZero() bool { return h.Host == "" }

// Authority is host:port.
func (h HostPort) Authority() string { return net.JoinHostPort(h.Host, strconv.Itoa(h.Port)) }

// String returns the address with its scheme.
func (h HostPort) String() string {
	switch {
	case h.IsZero():
		return ""
	case h.Plaintext:
		return "http://" + h.Authority()
	}
	return "https://" + h.Authority()
}

// ServiceAddr is the address an orchestrator advertises.
type ServiceAddr struct {
	HostPort
	// None: the node takes no work.
	None bool
}

// ParseServiceAddr reads what ParseHostPort reads, with port 8935 where none is
// given, or the word none.
func ParseServiceAddr(s string) (ServiceAddr, error) {
	if s == "none" {
		return ServiceAddr{None: true}, nil
	}
	h, err := ParseHostPort(s, DefaultServicePort)
	return ServiceAddr{HostPort: h}, err
}

// IsZero reports whether the address is neither known nor none.
func (a ServiceAddr) IsZero() bool { return !a.None && a.HostPort.IsZero() }

// String returns the address with its scheme, or none.
func (a ServiceAddr) String() string {
	if a.None {
		return "none"
	}
	return a.HostPort.String()
}

// addr is an address in parts; port is -1 where none was given.
type addr struct {
	given     bool
	scheme    bool
	plaintext bool
	host      string
	port      int
}

func (a addr) portOr(port int) int {
	if a.port < 0 {
		return port
	}
	return a.port
}

// splitAddr takes an address of any spelling apart: scheme, host, :port, and a
// port alone.
func splitAddr(s string) (addr, error) {
	a := addr{given: true, port: -1}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		switch strings.ToLower(scheme) {
		case "https":
		case "http":
			a.plaintext = true
		default:
			return addr{}, errScheme
		}
		a.scheme = true
		s = rest
	}
	s = strings.TrimSuffix(s, "/")
	if strings.ContainsAny(s, "/?#") {
		return addr{}, errPath
	}
	host, port := cutPort(s)
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return addr{}, errPort
		}
		a.port = int(n)
	}
	a.host = host
	if host == "" {
		if port == "" {
			return addr{}, errHostForm
		}
		return a, nil
	}
	if _, err := netip.ParseAddr(host); err != nil && (strings.Contains(host, ":") || !hostName().MatchString(host)) {
		return addr{}, errHostForm
	}
	return a, nil
}

// cutPort splits "host:port", "[v6]:port", ":port", "port", "host", "v6".
func cutPort(s string) (host, port string) {
	if s != "" && strings.Trim(s, "0123456789") == "" {
		return "", s
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return s, ""
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return s[1 : len(s)-1], ""
	}
	if h, p, err := net.SplitHostPort(s); err == nil && p != "" {
		return h, p
	}
	return s, ""
}

// String writes the parts back as splitAddr reads them.
func (a addr) String() string {
	if !a.given {
		return ""
	}
	text := a.host
	switch {
	case a.port >= 0:
		text = net.JoinHostPort(a.host, strconv.Itoa(a.port))
	case strings.Contains(a.host, ":"):
		text = fmt.Sprintf("[%s]", a.host)
	}
	switch {
	case a.plaintext:
		return "http://" + text
	case a.scheme:
		return "https://" + text
	}
	return text
}
