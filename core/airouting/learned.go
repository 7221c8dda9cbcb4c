package airouting

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

const (
	// learnedFor is how long it counts that an orchestrator refused what another one served, and that it served it.
	learnedFor = time.Hour
	// maxLearned bounds how many orchestrators of a model something is learned of.
	maxLearned = 256
	// fewTokens is the part of the context that a refusal states below which requests always count as short enough:
	// a token may be a quarter of what its bytes suggest.
	fewTokens = 4
)

// learned is what answers and refusals say about one orchestrator's model. Its memory is fixed.
type learned struct {
	lacks [inference.MaxFeatures]lack
	// short is the same about requests of length tokens and more.
	short  lack
	length inference.Tokens
	// served is when requests for each feature were last answered; longest is the longest such request within the
	// time since longestAt.
	served    [inference.MaxFeatures]time.Time
	longest   inference.Tokens
	longestAt time.Time
}

// lack is that one orchestrator refused what another one served. It counts for the client whose request that was, and
// for all once it was found by the requests of two clients: one alone could send what only it is refused for.
type lack struct {
	at     time.Time
	client string
	shared bool
}

// counts reports whether it counts for a client's requests.
func (l *lack) counts(client string, now time.Time) bool {
	return recent(l.at, now) && (l.shared || l.client == client)
}

// record records it once more.
func (l *lack) record(client string, now time.Time) {
	if !recent(l.at, now) {
		*l = lack{client: client}
	}
	l.shared = l.shared || l.client != client
	l.at = now
}

func recent(at, now time.Time) bool { return !at.IsZero() && now.Sub(at) < learnedFor }

// lacks returns which needs of a query the orchestrator is known not to meet. An orchestrator's word that it meets them
// counts no more than silence: it costs nothing.
func (c *candidate) lacks(q *Query, now time.Time) (missing inference.Needs) {
	missing.Features = c.states(q)
	context := c.offer.Context
	if context > 0 && q.Needs.Tokens > context {
		missing.Tokens = q.Needs.Tokens
	}
	l := c.learned
	if l == nil {
		return missing
	}
	for i := range l.lacks {
		if f := inference.FeatureSet(1) << i; q.Needs.Features&f != 0 && l.lacks[i].counts(q.Client, now) {
			missing.Features |= f
		}
	}
	if l.short.counts(q.Client, now) && q.Needs.Tokens >= l.length {
		missing.Tokens = q.Needs.Tokens
	}
	return missing
}

// states returns which features that a query needs the orchestrator itself says its model lacks.
func (c *candidate) states(q *Query) inference.FeatureSet {
	return q.Needs.Features & c.offer.Features.Lacks
}

// misfit reports whether an orchestrator is known not to meet a query's needs.
func (c *candidate) misfit(q *Query, now time.Time) bool {
	return q.Needs != inference.Needs{} && c.lacks(q, now) != inference.Needs{}
}

// fitLocked drops those of the usable orchestrators that are known not to meet the needs, while there are others.
func (t *Table) fitLocked(now time.Time, q *Query) {
	if q.Needs == (inference.Needs{}) {
		return
	}
	fits, misfits := false, false
	for _, tier := range t.usable {
		for _, c := range tier {
			if c.misfit(q, now) {
				misfits = true
			} else {
				fits = true
			}
		}
	}
	if !fits || !misfits {
		return // most requests
	}
	for i, tier := range t.usable {
		t.usable[i] = slices.DeleteFunc(tier, func(c *candidate) bool { return c.misfit(q, now) })
	}
}

// Refusal is an orchestrator's refusal that a second orchestrator has to confirm.
type Refusal struct {
	// By is the operator: see Lease.Operator.
	By string
	// Named is what the refusal says the model cannot do.
	Named inference.Needs
}

// confirmedBy reports whether an orchestrator that is known to lack the same confirms a refusal without being asked.
func (r *Refusal) confirmedBy(c *candidate, q *Query, now time.Time) bool {
	if r.Named == (inference.Needs{}) {
		return false
	}
	missing := c.lacks(q, now)
	return missing.Features&r.Named.Features != 0 || r.Named.Tokens > 0 && missing.Tokens > 0
}

// Confirms reports whether an orchestrator of another operator is known to lack what the query's refusal names.
func (t *Table) Confirms(now time.Time, q *Query) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.list, func(c *candidate) bool {
		return !c.gone && c.offer.operator() != q.Refusal.By && q.Refusal.confirmedBy(c, q, now)
	})
}

// otherOperatorsLocked drops the operator whose refusal is to be confirmed, while there are others.
func (t *Table) otherOperatorsLocked(q *Query) {
	if !q.SecondOpinion || q.Refusal.By == "" {
		return
	}
	t.keepLeast(func(c *candidate) float64 {
		if c.offer.operator() == q.Refusal.By {
			return 1
		}
		return 0
	})
}

// operator identifies an orchestrator's operator: the account that registered its address, else the address.
func (o *Offer) operator() string {
	if o.Registered {
		return o.Owner.String()
	}
	return o.URI
}

// Operator identifies the orchestrator's operator.
func (l *Lease) Operator() string { return l.operator }

// Own reports whether the orchestrator runs tutti, so that it got the request unchanged.
func (l *Lease) Own() bool { return l.own }

// Lacks records that the orchestrator refused the request as one that its model cannot do, and that another one served
// it: named is one feature, or the length, with the context that the refusal states, 0 for none. It takes the refusal
// back, which would otherwise hold against other requests. It returns false, and records nothing, where the
// orchestrator is known to be able: it served such a request recently, or its offer has the feature. Its refusal must
// have been for another reason.
func (l *Lease) Lacks(now time.Time, named inference.Needs, stated inference.Tokens) bool {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	c := l.c
	if l.t.byURI[l.uri] != c || c.gone || c.offer.Features.Has&named.Features != 0 {
		return false
	}
	k := l.t.learnedLocked(c)
	switch {
	case named.Features != 0:
		i := named.Features.Index()
		if recent(k.served[i], now) {
			return false
		}
		k.lacks[i].record(l.client, now)
	case named.Tokens > 0:
		length := named.Tokens
		if stated > 0 {
			length = max(min(length, stated+1), stated/fewTokens)
		}
		if recent(k.longestAt, now) && k.longest >= length {
			return false
		}
		if !recent(k.short.at, now) {
			k.length = length
		}
		k.short.record(l.client, now)
		k.length = min(k.length, length)
	default:
		return false
	}
	c.refused.Confirmed(l.op)
	return true
}

// learnedLocked returns the memory of an orchestrator. Where too many have one, the first loses it.
func (t *Table) learnedLocked(c *candidate) *learned {
	if c.learned == nil {
		if len(t.learners) >= maxLearned {
			t.learners[0].learned = nil
			t.learners = slices.Delete(t.learners, 0, 1)
		}
		c.learned = new(learned)
		t.learners = append(t.learners, c)
	}
	return c.learned
}

// forgetLocked drops what was learned of an orchestrator.
func (t *Table) forgetLocked(c *candidate) {
	if c.learned == nil {
		return
	}
	c.learned = nil
	t.learners = slices.DeleteFunc(t.learners, func(l *candidate) bool { return l == c })
}

// served records that a request of these needs was answered.
func (t *Table) servedLocked(c *candidate, needs inference.Needs, now time.Time) {
	special := needs.Features &^ inference.OperationFeature(inference.Chat)
	if special == 0 && (c.learned == nil || needs.Tokens == 0) && needs.Tokens < longRequest {
		return // most requests: nothing is remembered of them
	}
	k := t.learnedLocked(c)
	for i := range k.served {
		if special&(1<<i) != 0 {
			k.served[i], k.lacks[i] = now, lack{}
		}
	}
	if !recent(k.longestAt, now) || needs.Tokens >= k.longest {
		k.longest, k.longestAt = needs.Tokens, now
	}
	if k.longest >= k.length {
		k.short, k.length = lack{}, 0
	}
}

// longRequest is the length from which it is remembered of a request that it was served, in tokens.
const longRequest = 1024

// Lacking returns which of the needed features the model lacks wherever it is offered, as its orchestrators say; where
// each of them lacks another one, all of these.
func (t *Table) Lacking(q *Query) inference.FeatureSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	all, some := q.Needs.Features, inference.FeatureSet(0)
	for _, c := range t.list {
		if lacks := c.states(q); !c.gone && lacks != 0 {
			all, some = all&lacks, some|lacks
		}
	}
	if all != 0 && some != 0 {
		return all
	}
	return some
}
