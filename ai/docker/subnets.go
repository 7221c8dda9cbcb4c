package docker

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// subnetBits is the prefix length of a container's subnet: this machine's address, the
// container's, and an unused one. The engine's default pools allow only 31 networks.
const partBits = 29

// subnetPool is the address range from which the node's containers get their subnets.
type block struct {
	mu sync.Mutex // covers the fields below
	// prefix is the range, invalid before it was found.
	all netip.Prefix
	// taken maps the subnets in use to their networks; "" is a network of another node.
	taken map[netip.Prefix]string
}

// reset sets a new range; an invalid prefix means that one must be found again.
func (b *block) begin(all netip.Prefix) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all, b.taken = all.Masked(), make(map[netip.Prefix]string)
}

// known reports whether there is a range.
func (b *block) found() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.IsValid()
}

// acquire takes the first free subnet, false if there is none.
func (b *block) take() (netip.Prefix, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bits := max(partBits, b.all.Bits())
	for ip := b.all.Addr(); ip.IsValid() && b.all.Contains(ip); ip = after(ip, bits) {
		part := netip.PrefixFrom(ip, bits)
		if _, used := b.taken[part]; !used {
			b.taken[part] = ""
			return part, true
		}
	}
	return netip.Prefix{}, false
}

// assign records the network that uses a subnet.
func (b *block) hold(part netip.Prefix, network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken[part] = network
}

// release frees the subnet of a removed network.
func (b *block) free(network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for part, of := range b.taken {
		if of == network && network != "" {
			delete(b.taken, part)
		}
	}
}

// after is the first address after a subnet that begins with ip, invalid at the end of IPv4.
func after(ip netip.Addr, bits int) netip.Addr {
	raw := ip.As4()
	n := uint64(binary.BigEndian.Uint32(raw[:])) + 1<<(32-bits)
	if n >= 1<<32 {
		return netip.Addr{}
	}
	binary.BigEndian.PutUint32(raw[:], uint32(n))
	return netip.AddrFrom4(raw)
}
