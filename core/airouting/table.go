package airouting

import (
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/selectionweights"
)

// maxCandidates bounds a table, because offers come from peers.
const maxCandidates = 1024

// Options make a Table.
type Options struct {
	// Rand gives numbers in [0, 1); the table calls it under its lock.
	Rand func() float64
	// Memory is shared by the tables of a gateway; nil remembers nothing. Name distinguishes the
	// tables' prompts.
	Memory *Memory
	Name   string
	// Rule weighs candidates of one tier; nil, as off-chain, takes the better of two by load and
	// latency. Its price limits are not used here: a Query has its own.
	Rule *selectionweights.Rule
}

// Table holds the orchestrators that serve one model. Safe for concurrent use.
type Table struct {
	rand   func() float64
	memory *Memory
	salt   uint64
	rule   *selectionweights.Rule

	mu    sync.Mutex
	byURI map[string]*candidate
	list  []*candidate // in order of arrival
	// departed is what is known of orchestrators that left, by the address that was asked; owners
	// is how those with stake deal with payments.
	departed map[string]departed
	owners   map[core.Address]*trust
	// learners are the candidates of which something is learned, in the order in which that began.
	learners []*candidate
	// usable is Pick's scratch memory.
	usable [tiers][]*candidate
}

// NewTable makes an empty table.
func NewTable(opt Options) *Table {
	return &Table{rand: opt.Rand, memory: opt.Memory, salt: saltOf(opt.Name), rule: opt.Rule,
		byURI:    make(map[string]*candidate),
		departed: make(map[string]departed), owners: make(map[core.Address]*trust)}
}

// Put adds an orchestrator or updates its offer; what is known of it stays. It returns false when
// the table is full.
func (t *Table) Put(o Offer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.byURI[o.URI]; c != nil {
		if old := &c.offer; old.Features != o.Features || old.Context != o.Context || old.Own != o.Own {
			t.forgetLocked(c)
		}
		c.offer, c.gone = o, false
		t.shareTrustLocked(c)
		return true
	}
	if len(t.list) >= maxCandidates && !t.dropGoneLocked() {
		return false
	}
	c := t.newCandidateLocked(o)
	t.byURI[o.URI] = c
	t.list = append(t.list, c)
	return true
}

// dropGoneLocked drops one orchestrator that no longer offers the model.
func (t *Table) dropGoneLocked() bool {
	i := slices.IndexFunc(t.list, func(c *candidate) bool { return c.gone })
	if i < 0 {
		return false
	}
	t.dropLocked(t.list[i])
	return true
}

func (t *Table) dropLocked(c *candidate) {
	if i := slices.Index(t.list, c); i >= 0 {
		t.forgetLocked(c)
		t.list = slices.Delete(t.list, i, i+1)
		delete(t.byURI, c.offer.URI)
	}
}

// Remove takes an orchestrator out of the choice. Jobs in flight continue, and a rest is remembered
// in case it comes back.
func (t *Table) Remove(uri string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.byURI[uri]
	switch {
	case c == nil:
		return
	case c.idle():
		t.dropLocked(c)
	default:
		c.gone = true
	}
	t.rememberLocked(c)
}

// Len returns the number of orchestrators that offer the model, resting ones included.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, c := range t.list {
		if !c.gone {
			n++
		}
	}
	return n
}

// Pick leases the orchestrator for one attempt, or says why there is none.
func (t *Table) Pick(now time.Time, q Query) (*Lease, Verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, probe, v := t.chooseLocked(now, &q)
	if c == nil {
		return nil, v
	}
	c.inFlight++
	l := &Lease{t: t, c: c, trust: c.trust, uri: c.offer.URI, price: c.offer.Price, probe: probe, whole: q.Whole,
		client: q.Client, affinity: q.Affinity, start: now, op: q.Operation, needs: q.Needs, own: c.offer.Own,
		operator: c.offer.operator(), unconfirmed: c.refused.Count(q.Operation) > 0}
	c.refused.Retried(now, q.Operation)
	if probe && c.suspension.resting {
		c.suspension.probing, l.probing = true, true
	}
	if probe && c.trust.resting {
		c.trust.trying, l.trial = true, true
	}
	return l, Picked
}

// HasHealthy reports whether at least one orchestrator offers the model and is not resting.
func (t *Table) HasHealthy(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.list, func(c *candidate) bool {
		open, _ := c.open(now)
		return open && !c.gone
	})
}
