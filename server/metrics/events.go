package metrics

import "github.com/prometheus/client_golang/prometheus"

// EventErrors makes the series of events for the operator's message broker that were lost, and returns what counts
// one. It is for wiring, once.
func (m *Metrics) EventErrors() (func(kind string), error) {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "livepeer_kafka_event_send_errors",
		Help: "Events for the message broker that were lost, by their type."}, []string{"event_type"})
	if err := m.Register(v); err != nil {
		return nil, err
	}
	kinds := newValues() // runners choose some
	return func(kind string) { v.WithLabelValues(kinds.of(kind)).Inc() }, nil
}

// WatchMetadataLosses shows how many reports of segments were lost. It is for wiring, once.
func (m *Metrics) WatchMetadataLosses(lost func() uint64) error {
	return m.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "tutti_metadata_lost_total",
		Help: "Reports of segments for the message broker that were lost."}, func() float64 { return float64(lost()) }))
}
