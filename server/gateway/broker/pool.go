package broker

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// maxMissed is how many discoveries in a row an orchestrator may leave unanswered before it is
	// dropped. Its jobs may go on.
	maxMissed = 3
	// searchAgain is how soon a discovery without a result is repeated for a model that was offered
	// before; searchNew, for a model that was never offered.
	searchAgain = 250 * time.Millisecond
	searchNew   = time.Second
)

// pool is one model's orchestrators.
type pool struct {
	model inference.Model
	wants videorouting.Wants
	table *airouting.Table
	every time.Duration
	score func(string, inference.Model) (float64, bool)

	discovery discovery

	mu        sync.Mutex
	sessions  map[string]*session // by service URI
	offered   bool                // the model was offered at least once
	offeredAt time.Time           // the last time

	used           atomic.Int64 // time of the last job, Unix nanoseconds
	pendingAnswers atomic.Int64 // number of orchestrators that have not answered yet
	surveyed       atomic.Bool  // all answered, or were given up, at least once
}

func newPool(opt *Options, memory *airouting.Memory, model inference.Model) *pool {
	wants := upstream.JobWants(model, opt.Version, opt.MinVersion, opt.MinRunnerVersions[model])
	wants.Blocked = opt.Blocked
	return &pool{
		model: model,
		wants: wants,
		table: airouting.NewTable(airouting.Options{Rand: opt.Rand, Memory: memory, Name: string(model.Manifest()),
			Rule: opt.Rule}),
		// Spread, so that gateways that started together do not ask together forever.
		every:     opt.RefreshEvery - time.Duration(opt.Rand()*float64(opt.RefreshEvery)/5),
		score:     opt.Score,
		discovery: discovery{op: opFind},
		sessions:  make(map[string]*session),
	}
}

func (p *pool) touch(now time.Time) { p.used.Store(now.UnixNano()) }

func (p *pool) lastUsed() time.Time { return time.Unix(0, p.used.Load()) }

// stale reports whether the offers should be refreshed: at the usual interval, and sooner while no
// orchestrator is healthy.
func (p *pool) stale(now time.Time) bool {
	running, ended, _ := p.discovery.last()
	age := now.Sub(ended)
	return !running && (age >= p.every || !p.table.HasHealthy(now) && p.everOffered() && age >= searchNew)
}

// everOffered reports whether the model was ever offered.
func (p *pool) everOffered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offered
}

func (p *pool) session(uri string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[uri]
}

// unknownAfter is how long after its last offer a model is expected to come back: a crashed runner
// loads again within minutes.
const unknownAfter = 5 * time.Minute

// recentlyOffered reports whether the model was offered not long ago.
func (p *pool) recentlyOffered(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offered && now.Sub(p.offeredAt) < unknownAfter
}

// add takes an offer: a new orchestrator, or an update of a known one, which keeps its token while
// that is good. The previous orchestrator of the address is forgotten: an orchestrator names its
// service URI itself and may name ever new ones. One that names another's URI does not change the
// other's terms.
func (p *pool) add(asked string, t *upstream.Terms, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	uri := t.Offer.URI
	for other, s := range p.sessions {
		if other != uri && s.removeSource(asked) {
			p.forgetLocked(other)
		}
	}
	s := p.sessions[uri]
	if s != nil && !s.acceptsFrom(asked, uri) {
		return
	}
	if !p.table.Put(p.offerOf(asked, t)) {
		return
	}
	p.offered, p.offeredAt = true, now
	if s == nil {
		p.sessions[uri] = newSession(asked, t)
		return
	}
	s.update(asked, t, now)
}

// miss records that an orchestrator did not answer, or, when it is certain, that it does not serve
// the model now.
func (p *pool) miss(asked string, sure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for uri, s := range p.sessions {
		if s.missed(asked, sure) {
			p.forgetLocked(uri)
		}
	}
}

// keepOnly drops the orchestrators that are not listed any more.
func (p *pool) keepOnly(uris []string) {
	listed := make(map[string]bool, len(uris))
	for _, u := range uris {
		listed[u] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for uri, s := range p.sessions {
		if s.keepOnly(listed) {
			p.forgetLocked(uri)
		}
	}
}

func (p *pool) forgetLocked(uri string) {
	delete(p.sessions, uri)
	p.table.Remove(uri)
}

func (p *pool) snapshot(now time.Time) airouting.Snapshot {
	_, searched, _ := p.discovery.last()
	return airouting.Snapshot{Model: p.model, Refreshed: searched, Statuses: p.table.Statuses(now)}
}

func (p *pool) offerOf(asked string, t *upstream.Terms) airouting.Offer {
	o := airouting.Offer{
		URI: t.Offer.URI, Asked: asked, Warm: t.Model.Warm, Capacity: int(min(t.Model.Capacity, 1<<20)),
		Own: t.Node != "", Price: t.Price, Owner: t.Offer.Owner, Stake: t.Offer.Stake,
		Registered: !t.Offer.Registered.IsZero(),
	}
	if o.Own {
		o.Features = inference.ReadFeatures(t.Model.Features, t.Model.Lacks).WithOperations(operationsOf(t.Model.Operations))
		o.Context = contextOf(t.Model.Context)
	}
	if p.score != nil {
		o.Score, o.Scored = p.score(o.URI, p.model)
	}
	return o
}
