package verb

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
)

var errServiceURI = errors.New("not a service address: write https://host:port, such as https://node.example.com:8935")

// serviceURI is a checked service address.
type serviceURI struct {
	// Text is https://host:port.
	Text string
	// BareIP: the host is an address and no name.
	BareIP bool
}

// BareIPHint is what to say about a host without a name.
const BareIPHint = "a domain name is better than a bare IP address: it can be pointed elsewhere without a new " +
	"registration, which costs gas"

// ParseServiceURI reads https://host:port. A host that the internet cannot reach is a
// *Doubt unless local is set, which is for private networks.
func ParseServiceURI(s string, local bool) (serviceURI, error) {
	s = strings.TrimSuffix(strings.TrimSpace(s), "/")
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" ||
		u.ForceQuery || strings.Contains(s, "#") {
		return serviceURI{}, errServiceURI
	}
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return serviceURI{}, errors.New("the port is missing or no port: write https://" + host + ":8935")
	}
	text := "https://" + net.JoinHostPort(strings.ToLower(host), port)
	ip, ipErr := netip.ParseAddr(host)
	switch {
	case ipErr == nil && (ip.IsUnspecified() || ip.IsMulticast()):
		return serviceURI{}, errors.New(host + " is not the address of one machine")
	case ipErr != nil && !hostName(host, true):
		return serviceURI{}, errors.New(strconv.Quote(host) + " is not a host name")
	case ipErr == nil && !local && !public(ip):
		return serviceURI{}, notPublic(host+" is no public address", text)
	case ipErr != nil && !local && !hostName(host, false):
		return serviceURI{}, notPublic(strconv.Quote(host)+" is no public host name", text)
	}
	return serviceURI{Text: text, BareIP: ipErr == nil}, nil
}

// notPublic is the refusal of a host of a private network.
func notPublic(what, text string) error {
	return &UnusualInput{Why: what + ": gateways on the internet cannot reach it",
		Readings: []reading{{Label: text, Text: text}}}
}

func public(ip netip.Addr) bool { return core.RoutableAddress(ip) && ip.Zone() == "" }

// hostName says whether a name has the form of one, and unless local, of one
// that the whole internet can resolve.
func hostName(host string, local bool) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if !hostLabel(l) {
			return false
		}
	}
	if local {
		return true
	}
	last := labels[len(labels)-1]
	_, numeric := strconv.Atoi(last)
	return len(labels) > 1 && numeric != nil && last != "localhost" && last != "local" && last != "internal" &&
		last != "lan"
}

func hostLabel(l string) bool {
	if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
		return false
	}
	return strings.IndexFunc(l, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}
