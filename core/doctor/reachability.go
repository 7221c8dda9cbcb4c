package doctor

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// defaultPort is where gateways expect an orchestrator.
const defaultPort = "8935"

// Reach says whether the advertised address leads here.
type Reach string

// What is known of an address. Hairpin: not reachable from this machine itself,
// and reached by others all the same: the router does not loop back. Unverified:
// behind a NAT, not reachable from here, and no request came from outside yet, so
// that a closed port and such a router look the same.
const (
	ReachUnknown    Reach = "unknown"
	Reachable       Reach = "yes"
	ReachClosed     Reach = "no"
	ReachHairpin    Reach = "hairpin"
	ReachUnverified Reach = "unverified"
	ReachForeign    Reach = "foreign"
)

// Reachability is what is known of the service address.
type Reachability struct {
	// Advertised is what offers say.
	Advertised string `json:"advertised"`
	// OnChain is what the registry says; empty off-chain or when nothing is set.
	OnChain string `json:"onChain"`
	// Discovered is where this machine is seen, https://ip:8935; empty when no
	// service was asked.
	Discovered string `json:"discovered"`
	// Mismatch: the registered address is not where the machine is seen.
	Mismatch bool   `json:"mismatch"`
	Reach    Reach  `json:"reachable"`
	Detail   string `json:"detail"`
}

// CompareAddresses is the fault ServiceAddrMismatch when gateways will look somewhere else
// than where this machine is seen; nil when they agree. chosen is the address that
// -serviceAddr names, which settles it. A host name agrees when it resolves to the
// discovered address. known is false when that is not clear: one of them is not
// known, a name does not resolve now, or they are of different families.
func CompareAddresses(
	onChain, discovered, chosen string, resolve func(host string) []netip.Addr,
) (mismatch error, known bool) {
	against := discovered
	if chosen != "" {
		against = chosen
	}
	if onChain == "" || against == "" {
		return nil, true
	}
	same, known := agree(onChain, against, resolve)
	switch {
	case same || !known:
		return nil, known
	case chosen != "":
		return fault.New(fault.ServiceAddrMismatch, "compare addresses", fmt.Sprintf(
			"the registered address %s differs from -serviceAddr %s; gateways look it up on the chain: set the correct "+
				"address in tutti_cli",
			onChain,
			chosen,
		)), true
	}
	return fault.New(fault.ServiceAddrMismatch, "compare addresses", fmt.Sprintf(
		"the registered address %s did not match discovered address %s; set the correct address in tutti_cli or use "+
			"-serviceAddr",
		onChain,
		discovered,
	)), true
}

// agree compares host and port; known is false when the hosts cannot be compared.
func agree(a, b string, resolve func(string) []netip.Addr) (same, known bool) {
	hostA, portA, okA := splitURI(a)
	hostB, portB, okB := splitURI(b)
	switch {
	case !okA || !okB || portA != portB:
		return false, true
	case strings.EqualFold(hostA, hostB):
		return true, true
	}
	for _, ip := range addresses(hostA, resolve) {
		for _, other := range addresses(hostB, resolve) {
			if ip == other {
				return true, true
			}
			known = known || ip.Is4() == other.Is4()
		}
	}
	return false, known
}

func addresses(host string, resolve func(string) []netip.Addr) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap()}
	}
	if resolve == nil {
		return nil
	}
	var out []netip.Addr
	for _, ip := range resolve(host) {
		out = append(out, ip.Unmap())
	}
	return out
}

// splitURI takes a service URI apart; a missing port is the scheme's.
func splitURI(uri string) (host, port string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Hostname() == "" {
		return "", "", false
	}
	port = u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return u.Hostname(), port, true
}

// PrivateURI reports whether only this machine or its own network can reach the
// address's host, as far as its text says.
func PrivateURI(uri string) bool {
	host, _, ok := splitURI(uri)
	if !ok {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost" || !strings.Contains(host, ".")
	}
	return !core.RoutableAddress(ip)
}

// ServiceURI returns the service address of a machine that is seen at an IP address.
func ServiceURI(ip netip.Addr, port string) string {
	if port == "" {
		port = defaultPort
	}
	return "https://" + net.JoinHostPort(ip.Unmap().String(), port)
}

// ReachEvidence is what an attempt to reach this node's address brought to light.
type ReachEvidence struct {
	// Answered: something took the connection and answered. Ours: it was this node.
	Answered, Ours bool
	// Local: the address belongs to an interface of this machine.
	Local bool
	// Outside: a client elsewhere came in through the listener recently.
	Outside bool
	// Err is why the attempt failed.
	Err error
}

// ClassifyReach returns what the evidence means. The error is nil or a condition: PortClosed,
// PortUnverified, ServiceAddrForeign.
func ClassifyReach(uri string, e ReachEvidence) (Reach, error) {
	const op = "reach the node through its public address"
	switch {
	case e.Answered && e.Ours && e.Local && !e.Outside && !PrivateURI(uri):
		// The system answers itself without leaving the machine: what a firewall before
		// it does is not seen.
		return ReachUnverified, fault.New(
			fault.PortUnverified,
			op,
			uri+" is this machine's own address, which it reaches without passing any firewall",
		)
	case e.Answered && e.Ours:
		return Reachable, nil
	case e.Answered:
		return ReachForeign, fault.New(fault.ServiceAddrForeign, op, uri+" is answered by another server")
	case e.Outside:
		return ReachHairpin, nil
	case e.Local:
		return ReachClosed, &fault.Fault{Code: fault.PortClosed, Op: op, Detail: uri, Err: e.Err}
	}
	return ReachUnverified, &fault.Fault{Code: fault.PortUnverified, Op: op, Detail: uri, Err: e.Err}
}
