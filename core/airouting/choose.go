package airouting

import (
	"time"
)

// chooseLocked is Pick's rule.
func (t *Table) chooseLocked(now time.Time, q *Query) (c *candidate, probe bool, v Verdict) {
	set, why, v := t.selectLocked(now, q)
	switch {
	case len(set) == 0:
		return nil, false, v
	case why == CachedPrefix:
		_, probe = set[0].open(now)
		return set[0], probe, Picked
	case why == LastResort:
		return set[0], true, Picked
	}
	c, probe = t.chooseInTier(set, now, q)
	return c, probe, Picked
}

// selectLocked returns the candidates of which one gets the job, and why they come before the others. The
// set is valid until the next call. Without any, the verdict says why.
func (t *Table) selectLocked(now time.Time, q *Query) (set []*candidate, why Reason, v Verdict) {
	// An order of the client's comes before the kind of node; see preferLocked.
	if q.Kind == OwnFirst && !q.Preferences.ordered() {
		own := *q
		own.Kind = OwnOnly
		if set, why, v = t.selectLocked(now, &own); len(set) > 0 && !set[0].misfit(q, now) {
			return set, why, v
		}
	}
	resting, v := t.sortLocked(now, q)
	t.fitLocked(now, q)
	t.otherOperatorsLocked(q)
	t.preferLocked(now, q)
	if c := t.withPrefixLocked(now, q); c != nil {
		return []*candidate{c}, CachedPrefix, Picked
	}
	for i, tier := range t.usable {
		switch {
		case len(tier) == 0:
		case tier[0].misfit(q, now): // then all are: see fitLocked
			return tier, MayLack, Picked
		default:
			return tier, tierReasons[i], Picked
		}
	}
	if q.AllowExpensive && q.MaxPrice != nil {
		all := *q
		all.MaxPrice = nil
		return t.selectLocked(now, &all)
	}
	if resting != nil {
		return []*candidate{resting}, LastResort, Picked
	}
	return nil, "", v
}

// sortLocked fills t.usable with the orchestrators that may get the job. It also finds the resting
// one that may be probed if there is no other, and the verdict if there is none at all.
func (t *Table) sortLocked(now time.Time, q *Query) (resting *candidate, v Verdict) {
	for i := range t.usable {
		t.usable[i] = t.usable[i][:0]
	}
	v = Empty
	for _, c := range t.list {
		if objection := t.objection(c, q, now); objection != "" {
			v = max(v, objection.verdict())
			continue
		}
		open, retry := c.openTo(q.Client, now)
		if q.SecondOpinion && (!open || !c.offer.Warm || !c.hasSlot(now) || q.Refusal.confirmedBy(c, q, now)) {
			v = max(v, Tried)
			continue
		}
		if open {
			tier := c.tier(now, q.Operation)
			t.usable[tier] = append(t.usable[tier], c)
			continue
		}
		v = Resting
		if retry && (resting == nil || c.suspension.until.Before(resting.suspension.until)) {
			resting = c
		}
	}
	return resting, v
}

// chooseInTier chooses in one tier.
func (t *Table) chooseInTier(tier []*candidate, now time.Time, q *Query) (c *candidate, probe bool) {
	if t.rule != nil {
		return t.chooseByWeight(tier, now, q.Whole)
	}
	return t.chooseByLoad(tier, now, q)
}

// withPrefixLocked finds the usable candidate that has the longest prefix of the prompt cached,
// unless it is overloaded.
func (t *Table) withPrefixLocked(now time.Time, q *Query) *candidate {
	if t.memory == nil || len(q.Affinity) == 0 {
		return nil
	}
	uri := t.memory.longest(t.salt, q.Affinity)
	if uri == "" {
		return nil
	}
	n, load := 0, 0
	var have *candidate
	for _, tier := range t.usable {
		for _, c := range tier {
			n++
			load += c.inFlight
			if c.offer.URI == uri {
				have = c
			}
		}
	}
	if have == nil || !have.hasSlot(now) || have.refused.AskOthersFirst(now, q.Operation) ||
		overloaded(have.inFlight, load, n) {
		return nil
	}
	return have
}

// overloaded reports whether one with this many jobs has clearly more than its share of load among
// n.
func overloaded(inFlight, load, n int) bool {
	return float64(inFlight) > 1.25*float64(load)/float64(n)+1
}

// chooseByLoad chooses in one tier: one that is due for a probe, then one without measured latency
// that is idle, then the better of two random ones.
func (t *Table) chooseByLoad(tier []*candidate, now time.Time, q *Query) (c *candidate, probe bool) {
	whole := q.Whole
	first := t.index(len(tier))
	for i := range tier {
		c := tier[(first+i)%len(tier)]
		if _, probe := c.open(now); probe {
			return c, true
		}
	}
	for i := range tier {
		c := tier[(first+i)%len(tier)]
		if !c.latency(whole).known && c.inFlight == 0 && c.refused.Count(q.Operation) == 0 {
			return c, false
		}
	}
	mean := meanLatency(tier, now, whole)
	a := tier[first]
	if len(tier) == 1 {
		return a, false
	}
	b := tier[(first+1+t.index(len(tier)-1))%len(tier)]
	if b.score(now, whole, mean) < a.score(now, whole, mean) {
		return b, false
	}
	return a, false
}

// meanLatency returns the mean of the measured latencies, in seconds; 1 where none is known.
func meanLatency(tier []*candidate, now time.Time, whole bool) float64 {
	sum, known := 0.0, 0
	for _, c := range tier {
		if l := c.latency(whole); l.known {
			sum += l.value(now)
			known++
		}
	}
	if known == 0 {
		return 1
	}
	return sum / float64(known)
}

// score estimates how long a further job would wait there, without a unit. mean replaces an unknown
// latency.
func (c *candidate) score(now time.Time, whole bool, mean float64) float64 {
	s := mean
	if l := c.latency(whole); l.known {
		s = l.value(now)
	}
	return float64(c.inFlight+1) * s
}

// index returns a random number below n.
func (t *Table) index(n int) int { return min(n-1, int(t.rand()*float64(n))) }
