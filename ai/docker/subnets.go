package docker

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// subnetBits is the prefix length of a container's subnet: this machine's address, the
// container's, and an unused one. The engine's default pools allow only 31 networks.
const subnetBits = 29

// subnetPool is the address range from which the node's containers get their subnets.
type subnetPool struct {
	mu sync.Mutex // covers the fields below
	// prefix is the range, invalid until one is found.
	prefix netip.Prefix
	// taken maps the subnets in use to the IDs of their networks. The ID is "" while the network is made,
	// and stays "" where that failed: another node may use the subnet.
	taken map[netip.Prefix]string
}

// reset sets a new range; an invalid prefix means that one must be found again.
func (b *subnetPool) reset(all netip.Prefix) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prefix, b.taken = all.Masked(), make(map[netip.Prefix]string)
}

// known reports whether there is a range.
func (b *subnetPool) known() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.prefix.IsValid()
}

// acquire takes the first free subnet; it returns false if there is none.
func (b *subnetPool) acquire() (netip.Prefix, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bits := max(subnetBits, b.prefix.Bits())
	for ip := b.prefix.Addr(); ip.IsValid() && b.prefix.Contains(ip); ip = after(ip, bits) {
		subnet := netip.PrefixFrom(ip, bits)
		if _, used := b.taken[subnet]; !used {
			b.taken[subnet] = ""
			return subnet, true
		}
	}
	return netip.Prefix{}, false
}

// assign records the network that uses a subnet.
func (b *subnetPool) assign(subnet netip.Prefix, network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken[subnet] = network
}

// release frees the subnet of a removed network.
func (b *subnetPool) release(network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for subnet, of := range b.taken {
		if of == network && network != "" {
			delete(b.taken, subnet)
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
