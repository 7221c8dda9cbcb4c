package broker

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// maxPools bounds the models that are tracked; clients choose the names.
	maxPools = 512
	// maxSearches bounds the concurrent discoveries: this many for models that were offered before,
	// and this many for names that were never offered. maxWaiting bounds the queue of the latter.
	maxSearches = 16
	maxWaiting  = 256
	// sweepEvery is the interval of maintenance.
	sweepEvery = time.Second
	// keepFresh is how long after its last job a model's offers are refreshed, keepPool how long
	// they are kept at all.
	keepFresh = 5 * time.Minute
	keepPool  = 30 * time.Minute
)

// Broker finds orchestrators for jobs. It is a lifecycle component, and safe for
// concurrent use; it serves jobs before Run too, without keeping offers fresh.
type Broker struct {
	opt      Options
	memory   *airouting.Memory
	statuses upstream.StatusChanges
	catalog  catalog
	// knownQueue has the discoveries of models that were offered before, unknownQueue those of
	// names that were not.
	knownQueue, unknownQueue *searchQueue
	conditions               conditions

	// ctx ends with Close; wg counts the discoveries.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	hedges hedgeShare

	mu     sync.Mutex
	pools  map[inference.Model]*pool
	closed bool
}

// New makes a broker. It sends nothing yet.
func New(opt Options) *Broker {
	opt = opt.withDefaults()
	b := &Broker{
		opt:          opt,
		memory:       airouting.NewMemory(opt.Prefixes),
		catalog:      catalog{discovery: discovery{op: opList}, queue: newSearchQueue(1, 1)},
		knownQueue:   newSearchQueue(maxSearches, maxPools),
		unknownQueue: newSearchQueue(maxSearches, maxWaiting),
		pools:        make(map[inference.Model]*pool),
	}
	b.conditions.board = opt.Board
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Name returns the component's name.
func (b *Broker) Name() string { return "AI broker" }

// Run keeps the offers of models in use fresh until ctx ends; then it is Close.
func (b *Broker) Run(ctx context.Context, ready func()) error {
	defer b.Close()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	ready()
	for {
		select {
		case <-ticker.C:
			b.sweep(b.opt.Now())
		case <-ctx.Done():
			return nil
		}
	}
}

// Close cancels discoveries and waits for them. The callers end their jobs in flight.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.cancel()
	b.wg.Wait()
}

// background runs f unless the broker is closed. Close waits for it.
func (b *Broker) background(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.wg.Go(f)
	return true
}

// pool finds or makes a model's pool.
func (b *Broker) pool(model inference.Model, now time.Time) *pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pools[model]
	if p == nil {
		b.evictPoolLocked()
		p = newPool(&b.opt, b.memory, model)
		b.pools[model] = p
	}
	p.touch(now)
	return p
}

// evictPoolLocked drops the least recently used pool when there are too many; models that were
// never offered go first.
func (b *Broker) evictPoolLocked() {
	if len(b.pools) < maxPools {
		return
	}
	var oldest *pool
	seen := false
	for _, p := range b.pools {
		s := p.everOffered()
		if oldest == nil || seen && !s || s == seen && p.lastUsed().Before(oldest.lastUsed()) {
			oldest, seen = p, s
		}
	}
	delete(b.pools, oldest.model)
	b.conditions.clear(oldest.model)
}

// sweep starts discoveries that are due and drops unused models. Names that were never offered have
// no offers to refresh. A condition lasts while its model is requested.
func (b *Broker) sweep(now time.Time) {
	for _, p := range b.all() {
		idle := now.Sub(p.lastUsed())
		if idle > keepFresh {
			b.conditions.clear(p.model)
		}
		switch {
		case idle > keepPool:
			b.mu.Lock()
			delete(b.pools, p.model)
			b.mu.Unlock()
		case idle <= keepFresh && (p.everOffered() || b.conditions.has(p.model)) && p.stale(now):
			b.searchInBackground(p)
		}
	}
}

func (b *Broker) all() []*pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]*pool, 0, len(b.pools))
	for _, p := range b.pools {
		out = append(out, p)
	}
	return out
}

// Orchestrators returns the number of known orchestrators that offer a model and are not resting.
func (b *Broker) Orchestrators() int {
	known, now := make(map[string]bool), b.opt.Now()
	b.catalog.mu.Lock()
	for asked, o := range b.catalog.offers {
		known[asked] = len(o.models) > 0
	}
	b.catalog.mu.Unlock()
	for _, p := range b.all() {
		for _, s := range p.table.Statuses(now) {
			known[s.Offer.URI] = !now.Before(s.Resting)
		}
	}
	n := 0
	for _, usable := range known {
		if usable {
			n++
		}
	}
	return n
}

// Pools lists the recently requested models with their orchestrators.
func (b *Broker) Pools() []airouting.Snapshot {
	now := b.opt.Now()
	var out []airouting.Snapshot
	for _, p := range b.all() {
		out = append(out, p.snapshot(now))
	}
	return out
}
