package admission

import (
	"context"
	"net/netip"

	remote "github.com/tuttinode/tutti/core/peer"
)

// causedPart is the part of the bytes of an address that its requests may make the node
// send to one other: an eighth leaves the other's bound for the node's address to several.
const causedPart = 8

// causedScale is the scale of the bucket of what an address causes.
func causedScale(scale int) int {
	if scale == 0 {
		return 0
	}
	return max(1, scale/causedPart)
}

// Cause counts n bytes that the request of ctx makes the node send to others. It reports
// false where the request's address, or its site, has caused too much; then nothing is to
// be sent. A proved connection, and one without a gate or a bound, may cause everything.
func Cause(ctx context.Context, n int) bool {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok || c.proved.Load() {
		return true
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	p, now := c.peer, c.gate.opt.Now()
	scale := causedScale(p.scale())
	if scale == 0 {
		return true
	}
	siteScale := causedScale(p.site.scale())
	if p.caused.wait(now, scale) > 0 || p.shares() && p.site.caused.wait(now, siteScale) > 0 {
		return false
	}
	p.caused.spend(now, scale, n)
	if p.shares() {
		p.site.caused.spend(now, siteScale, n)
	}
	return true
}

// Network is what counts as one address of the request of ctx; the zero Prefix without a
// gate.
func Network(ctx context.Context) netip.Prefix {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok {
		return netip.Prefix{}
	}
	return remote.Of(addressOf(c.RemoteAddr()))
}

// Unknown reports whether the request of ctx comes from an address that is bounded as long as
// it has proved nothing, and what counts as one address.
func Unknown(ctx context.Context) (netip.Prefix, bool) {
	c, ok := ctx.Value(connKey{}).(*Conn)
	if !ok || c.proved.Load() {
		return netip.Prefix{}, false
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	return remote.Of(addressOf(c.RemoteAddr())), c.peer.scale() > 0 && c.peer.shares()
}
