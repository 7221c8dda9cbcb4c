package admission

import (
	"context"
	"net/netip"

	"github.com/tuttinode/tutti/core"
)

// causedDivisor divides an address's rate for the bytes that its requests make the node send
// to another peer: with an eighth, several addresses fit into that peer's bound for the node.
const causedDivisor = 8

// causedScale returns the scale of the bucket of caused bytes.
func causedScale(scale int) int {
	if scale == 0 {
		return 0
	}
	return max(1, scale/causedDivisor)
}

// Cause counts n bytes that the request of ctx makes the node send to others. It returns
// false if the request's address, or its site, has caused too much; then the caller must not
// send. Proved connections, and those without a gate or a bound, are not bounded.
func Cause(ctx context.Context, n int) bool {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok || c.proved.Load() {
		return true
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	p, now := c.peer, c.gate.opt.Now()
	scale := causedScale(p.scaleLocked())
	if scale == 0 {
		return true
	}
	siteScale := causedScale(p.site.scaleLocked())
	if p.caused.wait(now, scale) > 0 || p.countsForSiteLocked() && p.site.caused.wait(now, siteScale) > 0 {
		return false
	}
	p.caused.spend(now, scale, n)
	if p.countsForSiteLocked() {
		p.site.caused.spend(now, siteScale, n)
	}
	return true
}

// Network returns what counts as one address of the request of ctx; the zero Prefix without a
// gate.
func Network(ctx context.Context) netip.Prefix {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok {
		return netip.Prefix{}
	}
	return core.PeerOf(addressOf(c.RemoteAddr()))
}

// Unknown reports whether the request of ctx comes from a bounded address that has proved
// nothing, and the network that counts as one address.
func Unknown(ctx context.Context) (netip.Prefix, bool) {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok || c.proved.Load() {
		return netip.Prefix{}, false
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return core.PeerOf(addressOf(c.RemoteAddr())), c.peer.scaleLocked() > 0 && c.peer.countsForSiteLocked()
}
