package redeemer

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"google.golang.org/grpc/peer"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// origin is where a call or a connection comes from. A host is an IPv4 address or the /64
// of an IPv6 one, a site an IPv4 address or the /48.
type origin struct{ host, site netip.Prefix }

func originOf(a net.Addr) origin {
	if a == nil {
		return origin{}
	}
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return origin{}
	}
	out := origin{host: core.PeerOf(at.Addr()), site: core.PeerSiteOf(at.Addr())}
	if at.Addr().Unmap().Is4() {
		out.site = out.host // neighbors in IPv4 are seldom one owner's
	}
	return out
}

// caller returns the origin of a call.
func caller(ctx context.Context) origin {
	if p, ok := peer.FromContext(ctx); ok {
		return originOf(p.Addr)
	}
	return origin{}
}

const (
	// knownFor is how long a host is known after the last ticket that proved it.
	knownFor = 24 * time.Hour
	// knownMost bounds the hosts that are known, provedMost the tickets that are remembered.
	knownMost, provedMost = 1024, 8192
)

// known are the hosts that handed in a winning ticket which was taken and which proves
// something (service.proves). A ticket proves one host.
type known struct {
	now func() time.Time

	mu sync.Mutex
	// until is when a host is unknown again. Guarded by mu.
	until map[netip.Prefix]time.Time
	// tickets are those that proved a host, in their order; by is which. Guarded by mu.
	tickets []protocol.Hash
	by      map[protocol.Hash]netip.Prefix
}

func newKnown(now func() time.Time) *known {
	return &known{now: now, until: make(map[netip.Prefix]time.Time), by: make(map[protocol.Hash]netip.Prefix)}
}

// prove records that a ticket of a host was accepted.
func (k *known) prove(from origin, ticket protocol.Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	host, seen := k.by[ticket]
	switch {
	case seen && host != from.host:
		return
	case !seen:
		if len(k.tickets) >= provedMost {
			delete(k.by, k.tickets[0])
			k.tickets = k.tickets[1:]
		}
		k.tickets = append(k.tickets, ticket)
		k.by[ticket] = from.host
	}
	now := k.now()
	if _, there := k.until[from.host]; !there && len(k.until) >= knownMost {
		for h, until := range k.until {
			if !now.Before(until) {
				delete(k.until, h)
			}
		}
		if len(k.until) >= knownMost {
			return
		}
	}
	k.until[from.host] = now.Add(knownFor)
}

// has reports whether a host is known.
func (k *known) has(from origin) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now().Before(k.until[from.host])
}
