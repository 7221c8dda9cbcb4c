package endpoint

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Pool is the chain client. It answers as soon as it is made; Run keeps the endpoints' health and heads
// fresh. It is safe for concurrent use.
type Pool struct {
	opt     Options
	remotes []*remote
	chain   *chain
	calls   *counters

	// reporting serializes updates of conditions, so that no older one overwrites a newer.
	reporting sync.Mutex

	mu   sync.Mutex
	best newestHead // guarded by mu
	// hint counts next to best; guarded by mu.
	hint heightHint
	subs map[chan protocol.Head]struct{} // guarded by mu
	// shown are the conditions that are set, by endpoint; guarded by mu.
	shown map[string]health.Key
}

// New parses the addresses and makes the pool; it opens no connection. The error is a fault RPCURLInvalid
// that contains no address.
func New(o Options) (*Pool, error) {
	o = o.withDefaults()
	if len(o.Endpoints) == 0 {
		return nil, fault.New(fault.RPCURLInvalid, "read -ethUrl", "no address is given")
	}
	own := o.HTTPClient
	if own == nil {
		own = newClient(o)
	}
	p := &Pool{
		opt: o, chain: &chain{id: o.ChainID}, calls: &counters{byMethod: make(map[string]uint64)},
		subs: make(map[chan protocol.Head]struct{}), shown: make(map[string]health.Key),
	}
	addresses, err := parseAddresses(o.Endpoints)
	if err != nil {
		return nil, err
	}
	for _, to := range addresses {
		r := &remote{
			addr: to, now: o.Now, random: o.Random, timeout: o.CallTimeout, chain: p.chain, calls: p.calls,
			wake: make(chan struct{}, 1), checking: make(chan struct{}, 1), spans: newLogSpans(o.LogRange),
		}
		if to.isWebsocket() {
			r.transport = newWebsocket(to, o, r.connectionClosed, r.nudge)
		} else {
			r.transport = &httpTransport{addr: to, client: own, now: o.Now}
		}
		p.remotes = append(p.remotes, r)
	}
	return p, nil
}

// Close closes the connections. Run does it too; only a caller that never runs the pool needs it.
func (p *Pool) Close() {
	for _, r := range p.remotes {
		r.transport.close()
	}
}

// ChainID returns the chain's number; 0 before the first endpoint answered when none
// was expected.
func (p *Pool) ChainID() uint64 { return p.chain.get() }

// Calls returns the requests sent so far, by method.
func (p *Pool) Calls() map[string]uint64 { return p.calls.snapshot() }

// ranked returns the endpoints that accept a request now, the best first.
func (p *Pool) ranked() []*remote {
	newest := p.newest()
	now := p.opt.Now()
	type candidate struct {
		r    *remote
		cost float64
	}
	var candidates []candidate
	for _, r := range p.remotes {
		r.mu.Lock()
		if r.allows(now) && !r.quarantinedLocked(now) {
			cost := r.cost(lag(newest, r.lastHeight))
			if r.open() {
				// On trial: behind all that are known to work.
				cost += 1e6
			}
			candidates = append(candidates, candidate{r, cost})
		}
		r.mu.Unlock()
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	out := make([]*remote, len(candidates))
	for i, c := range candidates {
		out[i] = c.r
	}
	return out
}
