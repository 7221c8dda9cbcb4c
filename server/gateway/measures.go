package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
)

// measures are the orchestrators' measured performance. Each measurement counts for the address
// that was asked and for its owner, and the worse of both is used: a new address in the registry is
// no new start.
//
// The media of a client may be the cause of a failure, and of a long time. A stream therefore counts
// what its own client measured, what many clients did, and what no client can cause.
type measures struct {
	// all has every job, for status pages.
	all selectionweights.Measures
	// nodes has the jobs without their times, and without failures that a client may have caused.
	nodes   selectionweights.Measures
	clients selectionweights.ClientMeasures
}

func names(identity videorouting.Identity) []string {
	out := []string{identity.Asked}
	if !identity.Owner.IsZero() {
		out = append(out, identity.Owner.String())
	}
	return out
}

func (m *measures) done(identity videorouting.Identity, client string, score float64, now time.Time) {
	for _, name := range names(identity) {
		m.all.Done(name, score, now)
		m.nodes.Done(name, 0, now)
		m.clients.Done(name, client, score, now)
	}
}

// failed records a failed job; own says that the client cannot be the cause.
func (m *measures) failed(identity videorouting.Identity, client string, own bool, now time.Time) {
	for _, name := range names(identity) {
		m.all.Failed(name, now)
		if own {
			m.nodes.Failed(name, now)
		} else {
			m.clients.Failed(name, client, now)
		}
	}
}

// of are the measures that count for a client; "" is no client.
func (m *measures) of(identity videorouting.Identity, client string, now time.Time) (out []selectionweights.Measure) {
	for _, name := range names(identity) {
		own, many := m.clients.Of(name, client, now)
		out = append(out, m.nodes.Of(name, now), many)
		if client != "" {
			out = append(out, own)
		}
	}
	return out
}

func (m *measures) speed(identity videorouting.Identity, client string, now time.Time) float64 {
	speed := 1.0
	for _, one := range m.of(identity, client, now) {
		speed = min(speed, one.Speed())
	}
	return speed
}

func (m *measures) score(identity videorouting.Identity, client string, now time.Time) (float64, bool) {
	return lowest(m.of(identity, client, now))
}

// total is the score by all jobs.
func (m *measures) total(identity videorouting.Identity, now time.Time) (float64, bool) {
	var all []selectionweights.Measure
	for _, name := range names(identity) {
		all = append(all, m.all.Of(name, now))
	}
	return lowest(all)
}

// lowest is the lowest known score.
func lowest(measured []selectionweights.Measure) (score float64, ok bool) {
	for _, one := range measured {
		if s, known := one.Score(); known && (!ok || s < score) {
			score, ok = s, true
		}
	}
	return score, ok
}

// latency is that of the address alone.
func (m *measures) latency(identity videorouting.Identity, now time.Time) float64 {
	return m.all.Of(identity.Asked, now).Latency
}
