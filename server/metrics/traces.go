package metrics

import "github.com/prometheus/client_golang/prometheus"

// WatchTraces shows how many spans the operator's collector took and how many were lost. It is for wiring, once.
func (m *Metrics) WatchTraces(counts func() (sent, lost uint64)) error {
	series := func(outcome string, value func() uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "tutti_trace_spans_total",
			Help: "Spans for the collector, by what became of them.", ConstLabels: prometheus.Labels{"outcome": outcome}},
			func() float64 { return float64(value()) })
	}
	if err := m.Register(series("sent", func() uint64 { sent, _ := counts(); return sent })); err != nil {
		return err
	}
	return m.Register(series("lost", func() uint64 { _, lost := counts(); return lost }))
}
