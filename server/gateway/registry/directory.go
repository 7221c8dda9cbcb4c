package registry

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// maxEndpoints bounds the known service URIs: anyone can write to the registry, and
	// orchestrators name extra nodes.
	maxEndpoints = 1024
	// maxSilence is after how long an endpoint that does not answer is not used.
	maxSilence = 24 * time.Hour
)

// Directory is what is known of orchestrators. It is a lifecycle component, and safe for concurrent
// use; before Run it knows only fixed endpoints.
type Directory struct {
	opt    Options
	wakeup chan struct{}

	// firstRead is closed after the first attempt to read the chain.
	firstRead     chan struct{}
	firstReadOnce sync.Once

	// mu guards what follows.
	mu        sync.Mutex
	stakes    map[core.Address]protocol.Orchestrator
	endpoints map[string]*endpoint
	// former has the credit key of endpoints that were dropped: their sessions go on. formerOf
	// counts them by credit key.
	former   map[string]string
	formerOf map[string]int
	read     time.Time
	err      error
}

// endpoint is one service URI.
type endpoint struct {
	uri string
	// owners are the accounts that registered the URI, or the URI of its parent; none for a fixed
	// one.
	owners []core.Address
	fixed  bool
	// parent is the URI that named it, "" for one that is registered or fixed.
	parent string

	since, asked, lastAnswer time.Time
	price                    *big.Rat
	problem                  fault.Code
}

// New makes a directory. It sends nothing yet.
func New(opt Options) *Directory {
	d := &Directory{
		opt: opt.withDefaults(), wakeup: make(chan struct{}, 1), firstRead: make(chan struct{}),
		stakes: make(map[core.Address]protocol.Orchestrator), endpoints: make(map[string]*endpoint),
		former: make(map[string]string), formerOf: make(map[string]int),
	}
	d.Use(d.opt.Fixed)
	return d
}

// Use replaces the service URIs that the operator named before. It does nothing without
// Options.Named.
func (d *Directory) Use(uris []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opt.Named {
		return
	}
	now := d.opt.Now()
	for uri, p := range d.endpoints {
		if p.parent == "" && !slices.Contains(uris, uri) || p.parent != "" && !slices.Contains(uris, p.parent) {
			d.dropLocked(uri, p)
		}
	}
	changed := false
	for _, uri := range uris[:min(len(uris), maxEndpoints)] {
		if p := d.endpoints[uri]; p == nil {
			d.endpoints[uri], changed = &endpoint{uri: uri, fixed: true, since: now}, true
		} else {
			p.parent = ""
		}
	}
	if changed {
		d.wake()
	}
}

// dropLocked drops an endpoint and keeps its credit key.
func (d *Directory) dropLocked(uri string, p *endpoint) {
	delete(d.endpoints, uri)
	d.forgetLocked(uri)
	if len(d.former) >= maxEndpoints {
		d.forgetLocked(d.oldestOfLargestLocked())
	}
	credit := p.credit()
	d.former[uri] = credit
	d.formerOf[credit]++
}

// forgetLocked drops the credit key of a former endpoint.
func (d *Directory) forgetLocked(uri string) {
	credit, known := d.former[uri]
	if !known {
		return
	}
	delete(d.former, uri)
	if d.formerOf[credit]--; d.formerOf[credit] == 0 {
		delete(d.formerOf, credit)
	}
}

// oldestOfLargestLocked returns a former endpoint of the credit key that has most of them: an
// orchestrator that goes through many addresses displaces its own, not those of others.
func (d *Directory) oldestOfLargestLocked() (uri string) {
	most := 0
	for old, credit := range d.former {
		if n := d.formerOf[credit]; n > most {
			uri, most = old, n
		}
	}
	return uri
}

// credit returns the key under which work at the endpoint is credited, where an offer does not say which
// of its owners it is for.
func (p *endpoint) credit() string {
	switch {
	case len(p.owners) > 0:
		return p.owners[0].String()
	case p.parent != "":
		return p.parent
	}
	return p.uri
}

// Name returns the component's name.
func (d *Directory) Name() string { return "orchestrator registry" }

// Run keeps the directory up to date until ctx ends.
func (d *Directory) Run(ctx context.Context, ready func()) error {
	stop := d.opt.Events.Subscribe(d.onEvent)
	defer stop()
	ready()
	for {
		wait := d.opt.ReadEvery
		if err := d.refresh(ctx); err != nil {
			wait = d.opt.RetryAfter
		}
		d.survey(ctx)
		timer := time.NewTimer(min(wait, d.untilDue()))
		select {
		case <-timer.C:
		case <-d.wakeup:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// onEvent wakes Run for events that may change the active set.
func (d *Directory) onEvent(e protocol.Event) {
	switch e := e.(type) {
	case protocol.RoundSeen, protocol.PoolSeen, protocol.Reorganized:
	case protocol.StaleSeen:
		if e.Stale {
			return
		}
	default:
		return
	}
	d.wake()
}

func (d *Directory) wake() {
	select {
	case d.wakeup <- struct{}{}:
	default:
	}
}

// List returns the service URIs that may be used. It waits for the first reading of the chain. An
// error, the fault RegistryUnread, may come with an older list.
func (d *Directory) List(ctx context.Context) ([]string, error) {
	if !d.opt.Named {
		select {
		case <-d.firstRead:
		case <-ctx.Done():
			return nil, fault.Wrap(fault.RegistryUnread, "list orchestrators", ctx.Err())
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.opt.Now()
	var out []string
	for uri, p := range d.endpoints {
		// New endpoints get a day to answer, too.
		if p.fixed || now.Sub(later(p.since, p.lastAnswer)) <= maxSilence {
			out = append(out, uri)
		}
	}
	slices.Sort(out)
	return out, d.err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Known is one service URI for a status page.
type Known struct {
	URI string
	// Owner is the orchestrator it belongs to, zero for one that the operator named; Stake is its
	// stake.
	Owner core.Address
	Stake core.LPT
	// Parent is the URI that named it as an extra node.
	Parent string
	// LastAnswer is when it answered last, zero when never; Problem is why it does not answer now.
	LastAnswer time.Time
	Problem    fault.Code
	// Price is in wei per pixel, nil when it is not known.
	Price *big.Rat
}

// Snapshot lists everything that is known, by stake and then by URI. read is when the chain was
// read last.
func (d *Directory) Snapshot() (all []Known, read time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.endpoints {
		k := Known{URI: p.uri, Parent: p.parent, LastAnswer: p.lastAnswer, Problem: p.problem, Price: p.price}
		if len(p.owners) > 0 {
			k.Owner = p.owners[0]
			k.Stake = d.stakes[k.Owner].DelegatedStake
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Known) int {
		return cmp.Or(b.Stake.Cmp(a.Stake), cmp.Compare(a.URI, b.URI))
	})
	return all, d.read, d.err
}
