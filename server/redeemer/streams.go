package redeemer

import (
	"context"
	"net/netip"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/tuttinode/tutti/core/fault"
)

// alwaysEach is how many calls of each kind a host has at once however many others there
// are: enough for an orchestrator to hand in tickets and to become known.
const alwaysEach = 16

// counts bounds what hosts have at once: each host, each site, and all together, beyond
// what a host always has. Known hosts are bounded by their own share alone.
type counts struct {
	most, mostEach, mostSite int
	known                    *known

	mu           sync.Mutex
	all          int                  // guarded by mu
	hosts, sites map[netip.Prefix]int // guarded by mu
}

func newCounts(most, mostEach int, k *known) *counts {
	return &counts{most: most, mostEach: mostEach, mostSite: max(mostEach, most/2), known: k,
		hosts: make(map[netip.Prefix]int), sites: make(map[netip.Prefix]int)}
}

// enter counts one more of an origin; false when that is too many. leave may be called more
// than once.
func (c *counts) enter(from origin) (leave func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.hosts[from.host]
	switch {
	case n >= c.mostEach:
		return nil, false
	case n < alwaysEach, c.known.has(from):
	case c.all >= c.most, c.sites[from.site] >= c.mostSite:
		return nil, false
	}
	c.all++
	c.hosts[from.host]++
	c.sites[from.site]++
	return sync.OnceFunc(func() { c.left(from) }), true
}

func (c *counts) left(from origin) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.hosts[from.host]--; c.hosts[from.host] == 0 {
		delete(c.hosts, from.host)
	}
	if c.sites[from.site]--; c.sites[from.site] == 0 {
		delete(c.sites, from.site)
	}
}

// tap counts a call when its headers came, before anything else is done for it, and until
// its stream has ended.
func (s *service) tap(ctx context.Context, _ *tap.Info) (context.Context, error) {
	leave, ok := s.calls.enter(caller(ctx))
	if !ok {
		return nil, status.Error(codes.ResourceExhausted, string(fault.RedeemerCrowded)+": too many calls at once")
	}
	context.AfterFunc(ctx, leave)
	return ctx, nil
}
