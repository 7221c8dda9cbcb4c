package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// store is an orchestrator's part of a database that several nodes share.
type store struct {
	source  func() (leads bool, took time.Duration)
	leader  *prometheus.Desc
	latency *prometheus.Desc
}

// WatchStore shows, at every scrape, whether this node redeems the winning tickets of
// all books, and how long the database took to answer last.
func (m *Metrics) WatchStore(nodeType string, source func() (leads bool, took time.Duration)) error {
	return m.base(nodeType).Register(&store{
		source: source,
		leader: prometheus.NewDesc("tutti_store_leader",
			"1 where this node redeems for all that share the database of -store, 0 where another does.", nil, nil),
		latency: prometheus.NewDesc("tutti_store_latency_seconds",
			"How long the database of -store took for the last look at what is to be redeemed.", nil, nil),
	})
}

// Describe names the series.
func (s *store) Describe(ch chan<- *prometheus.Desc) {
	ch <- s.leader
	ch <- s.latency
}

// Collect reads the leader.
func (s *store) Collect(ch chan<- prometheus.Metric) {
	leads, took := s.source()
	ch <- prometheus.MustNewConstMetric(s.leader, prometheus.GaugeValue, boolValue(leads))
	ch <- prometheus.MustNewConstMetric(s.latency, prometheus.GaugeValue, took.Seconds())
}
