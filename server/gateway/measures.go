package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
)

// measures are the orchestrators' measured performance. Each measurement counts for the address
// that was asked and for its owner, and the worse of both is used: a new address in the registry is
// no new start.
type measures struct{ all selectionweights.Measures }

func names(identity videorouting.Identity) []string {
	out := []string{identity.Asked}
	if !identity.Owner.IsZero() {
		out = append(out, identity.Owner.String())
	}
	return out
}

func (m *measures) done(identity videorouting.Identity, score float64, now time.Time) {
	for _, name := range names(identity) {
		m.all.Done(name, score, now)
	}
}

func (m *measures) failed(identity videorouting.Identity, now time.Time) {
	for _, name := range names(identity) {
		m.all.Failed(name, now)
	}
}

func (m *measures) speed(identity videorouting.Identity, now time.Time) float64 {
	speed := 1.0
	for _, name := range names(identity) {
		speed = min(speed, m.all.Of(name, now).Speed())
	}
	return speed
}

func (m *measures) score(identity videorouting.Identity, now time.Time) (score float64, ok bool) {
	for _, name := range names(identity) {
		if s, known := m.all.Of(name, now).Score(); known && (!ok || s < score) {
			score, ok = s, true
		}
	}
	return score, ok
}

// latency is that of the address alone.
func (m *measures) latency(identity videorouting.Identity, now time.Time) float64 {
	return m.all.Of(identity.Asked, now).Latency
}
