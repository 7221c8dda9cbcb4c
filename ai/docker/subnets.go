package docker

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// subnetBits is the prefix length of a container's subnet, which needs an address of the host and one of
// the container. Subnets are chosen here because the engine's default pools allow only 31 networks.
const subnetBits = 29

// subnetPool is the address range from which the node's containers get their subnets.
type subnetPool struct {
	mu sync.Mutex // covers the fields below
	// prefix is the range; it is invalid until a free one is found.
	prefix netip.Prefix
	// taken maps the subnets in use to the IDs of their networks. The ID is "" until the network exists,
	// and stays "" if creating it failed, because another node may use the subnet.
	taken map[netip.Prefix]string
}

// reset sets a new range; an invalid prefix means that one must be found again.
func (p *subnetPool) reset(prefix netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prefix, p.taken = prefix.Masked(), make(map[netip.Prefix]string)
}

// known reports whether there is a range.
func (p *subnetPool) known() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prefix.IsValid()
}

// acquire takes the first free subnet; it returns false if there is none.
func (p *subnetPool) acquire() (netip.Prefix, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bits := max(subnetBits, p.prefix.Bits())
	for ip := p.prefix.Addr(); ip.IsValid() && p.prefix.Contains(ip); ip = after(ip, bits) {
		subnet := netip.PrefixFrom(ip, bits)
		if _, used := p.taken[subnet]; !used {
			p.taken[subnet] = ""
			return subnet, true
		}
	}
	return netip.Prefix{}, false
}

// assign records the network that uses a subnet.
func (p *subnetPool) assign(subnet netip.Prefix, network string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[subnet] = network
}

// release frees the subnet of a removed network.
func (p *subnetPool) release(network string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for subnet, user := range p.taken {
		if user == network && network != "" {
			delete(p.taken, subnet)
		}
	}
}

// after returns the first address after a subnet that begins with ip, invalid at the end of IPv4.
func after(ip netip.Addr, bits int) netip.Addr {
	raw := ip.As4()
	n := uint64(binary.BigEndian.Uint32(raw[:])) + 1<<(32-bits)
	if n >= 1<<32 {
		return netip.Addr{}
	}
	binary.BigEndian.PutUint32(raw[:], uint32(n))
	return netip.AddrFrom4(raw)
}
