package docker

import (
	"encoding/binary"
	"net/netip"
	"sync"
)

// partBits is the length of a container's subnet: this machine's address, the
// container's, and one that nothing has. The engine's own choice has up to 65 536
// addresses, of which it has 31 in all.
const partBits = 29

// block is a range of addresses of which the node's containers have their subnets.
type block struct {
	mu sync.Mutex // covers the fields below
	// all is the range, invalid before it was found.
	all netip.Prefix
	// taken are the parts in use, with their networks; those of others have none.
	taken map[netip.Prefix]string
}

// begin takes a new range; an invalid one says that it is to be found again.
func (b *block) begin(all netip.Prefix) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all, b.taken = all.Masked(), make(map[netip.Prefix]string)
}

// found reports whether there is a range.
func (b *block) found() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.IsValid()
}

// take takes the first part that is not in use, false where there is none.
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

// hold notes the network that has a part.
func (b *block) hold(part netip.Prefix, network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken[part] = network
}

// free makes the part of a network that was removed free again.
func (b *block) free(network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for part, of := range b.taken {
		if of == network && network != "" {
			delete(b.taken, part)
		}
	}
}

// after is the address behind a subnet that begins with ip, invalid at the end of all.
func after(ip netip.Addr, bits int) netip.Addr {
	raw := ip.As4()
	n := uint64(binary.BigEndian.Uint32(raw[:])) + 1<<(32-bits)
	if n >= 1<<32 {
		return netip.Addr{}
	}
	binary.BigEndian.PutUint32(raw[:], uint32(n))
	return netip.AddrFrom4(raw)
}
