package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/inference"
)

// LiveCapacity is what an orchestrator reported last of a model of live video.
type LiveCapacity struct {
	Model           inference.Model
	Orchestrator    string
	Capacity, InUse int
}

// WatchLiveCapacity shows, at every scrape, what a gateway knows of its orchestrators' capacity for live video, under
// the names that orchestrators have for their own.
func (m *Metrics) WatchLiveCapacity(source func() []LiveCapacity) error {
	labels := []string{"pipeline", "model_name", "orchestrator_uri"}
	return m.base(Gateway).Register(&liveCapacity{
		source: source,
		inUse:  prometheus.NewDesc("livepeer_ai_container_in_use", helpInUse, labels, nil),
		idle:   prometheus.NewDesc("livepeer_ai_container_idle", helpIdle, labels, nil),
	})
}

type liveCapacity struct {
	source      func() []LiveCapacity
	inUse, idle *prometheus.Desc
}

// Describe names the series.
func (c *liveCapacity) Describe(ch chan<- *prometheus.Desc) { ch <- c.inUse; ch <- c.idle }

// Collect reads what is known.
func (c *liveCapacity) Collect(ch chan<- prometheus.Metric) {
	seen := make(map[[3]string]bool)
	for _, s := range c.source() {
		l := [3]string{
			cleanLabel(s.Model.Capability.Pipeline()), cleanLabel(s.Model.ID), cleanLabel(s.Orchestrator),
		}
		if seen[l] || len(seen) >= maxValues {
			continue // the same series twice would fail the whole scrape
		}
		seen[l] = true
		gauge := func(d *prometheus.Desc, v int) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), l[:]...)
		}
		gauge(c.inUse, s.InUse)
		gauge(c.idle, max(s.Capacity-s.InUse, 0))
	}
}
