package airouting

import (
	"cmp"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Choice is what a table decides about one orchestrator for a job.
type Choice struct {
	Status Status
	// Rank is its turn, from 1; 0 where it does not get the job. Those of one rank share the jobs.
	Rank   int
	Reason Reason
	// Missing is what the request needs and the orchestrator is known not to do; with the reason DropsParameters also
	// what it is not known to do.
	Missing inference.Needs
	// Until is when the reason ends, zero where that is not known.
	Until time.Time
}

// Explain returns how a job would be placed: first the orchestrators in the order in which they would get
// it, if each one before fails, then those that would not. It changes nothing.
func (t *Table) Explain(now time.Time, q Query) []Choice {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Choice
	tried := q.Tried
	for rank := 1; rank <= maxTries; rank++ {
		set, why, _ := t.selectLocked(now, &q)
		if len(set) == 0 {
			break
		}
		set = slices.Clone(set)
		mean := meanLatency(set, now, q.Whole)
		slices.SortStableFunc(set, func(a, b *candidate) int {
			return cmp.Compare(a.score(now, q.Whole, mean), b.score(now, q.Whole, mean))
		})
		q.Tried = slices.Clone(q.Tried)
		for _, c := range set {
			out = append(out, Choice{Status: c.status(now), Rank: rank, Reason: why, Missing: c.lacks(&q, now),
				Until: c.restsUntil()})
			q.Tried = append(q.Tried, c.offer.URI)
		}
		if q.Preferences.Single() {
			q.Primary = set[0].offer.URI
		}
	}
	chosen := len(out)
	for _, c := range t.list {
		uri := c.offer.URI
		if c.gone || slices.ContainsFunc(out[:chosen], func(o Choice) bool { return o.Status.Offer.URI == uri }) {
			continue
		}
		asked := q
		asked.Tried = tried
		choice := Choice{Status: c.status(now), Reason: t.objection(c, &asked, now), Missing: c.lacks(&asked, now)}
		switch choice.Reason {
		case DropsParameters:
			choice.Missing.Features |= q.Needs.Features & inference.Parameters &^ c.offer.Features.Has
		case "":
			choice.Reason, choice.Until = Rests, c.restsUntil()
		case AskedToWait:
			choice.Until = now.Add(c.backoffs.left(q.Client, now))
		}
		out = append(out, choice)
	}
	return out
}
