package endpoint

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Pool is the chain client. It answers from the moment it is made; Run keeps the
// endpoints' health and heads fresh. It is safe for concurrent use.
type Pool struct {
	opt     Options
	remotes []*remote
	chain   *chain
	calls   *counters

	// reporting makes one judgement of conditions at a time, so that no older one
	// overwrites a newer.
	reporting sync.Mutex

	mu   sync.Mutex
	best newestHead // guarded by mu
	// learnt counts beside best; guarded by mu.
	learnt learnt
	subs   map[chan protocol.Head]struct{} // guarded by mu
	// shown are the conditions that are set, by endpoint; guarded by mu.
	shown map[string]health.Key
}

// New reads the addresses and makes the pool; it connects to nobody. The error is
// a fault RPCURLInvalid that names no address.
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
			to: to, now: o.Now, random: o.Random, timeout: o.CallTimeout, chain: p.chain, calls: p.calls,
			wake: make(chan struct{}, 1), checking: make(chan struct{}, 1), spans: newLogSpans(o.LogRange),
		}
		if to.isWebsocket() {
			r.line = newWebsocket(to, o, r.dropped, r.nudge)
		} else {
			r.line = &httpTransport{to: to, client: own, now: o.Now}
		}
		p.remotes = append(p.remotes, r)
	}
	return p, nil
}

// Close ends the connections. Run does it too; only who never runs the pool
// needs it.
func (p *Pool) Close() {
	for _, r := range p.remotes {
		r.line.close()
	}
}

// ChainID is the chain's number; 0 before the first endpoint answered when none
// was expected.
func (p *Pool) ChainID() uint64 { return p.chain.get() }

// Calls are the requests sent so far, by method.
func (p *Pool) Calls() map[string]uint64 { return p.calls.snapshot() }

// ranked are the endpoints that take a request now, the best first.
func (p *Pool) ranked() []*remote {
	newest := p.newest()
	now := p.opt.Now()
	type place struct {
		r    *remote
		cost float64
	}
	var places []place
	for _, r := range p.remotes {
		r.mu.Lock()
		if r.admits(now) && !r.distrusted(now) {
			cost := r.cost(lag(newest, r.heightSeen))
			if r.open() {
				// On trial: behind all that are known to work.
				cost += 1e6
			}
			places = append(places, place{r, cost})
		}
		r.mu.Unlock()
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.cost, b.cost) })
	out := make([]*remote, len(places))
	for i, at := range places {
		out[i] = at.r
	}
	return out
}

func lag(newest, has protocol.L2Block) uint64 {
	if has >= newest {
		return 0
	}
	return uint64(newest - has)
}
