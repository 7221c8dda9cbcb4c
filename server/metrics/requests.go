package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
)

// admitted is the code label of a success.
const admitted = "ok"

// totals are counters of another package.
type totals struct {
	desc *prometheus.Desc
	look func(send sender)
}

// Describe names the series.
func (c *totals) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect reads the source.
func (c *totals) Collect(ch chan<- prometheus.Metric) {
	c.look(func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	})
}

// WatchRequests counts gateways' requests and their results.
func (m *Metrics) WatchRequests(source func() []requeststats.Total) error {
	c := &totals{desc: prometheus.NewDesc("tutti_requests_total",
		"Offers, segments and AI jobs that gateways asked for, by the answer: ok, or the fault code of a refusal.",
		[]string{"kind", "code"}, nil)}
	c.look = func(send sender) {
		seen := make(map[[2]string]bool)
		for _, kind := range requeststats.Kinds() {
			seen[[2]string{string(kind), admitted}] = false
		}
		for _, t := range source() {
			code := string(t.Code)
			if code == "" {
				code = admitted
			}
			key := [2]string{string(t.Kind), cleanLabel(code)}
			if seen[key] {
				continue
			}
			seen[key] = true
			send(c.desc, float64(t.Count), key[0], key[1])
		}
		for key, was := range seen {
			if !was {
				send(c.desc, 0, key[0], key[1]) // so that a rate begins at nothing
			}
		}
	}
	return m.base(Orchestrator).Register(c)
}

// WatchWorkersRefused counts workers of other machines that were turned away, by kind
// ("transcoder", "ai") and fault code.
func (m *Metrics) WatchWorkersRefused(source func() map[string]map[fault.Code]uint64) error {
	c := &totals{desc: prometheus.NewDesc("tutti_workers_refused_total",
		"Registrations and results of workers elsewhere that were turned away.", []string{"kind", "code"}, nil)}
	c.look = func(send sender) {
		for kind, codes := range source() {
			for code, n := range codes {
				send(c.desc, float64(n), kind, cleanLabel(string(code)))
			}
		}
	}
	return m.base(Orchestrator).Register(c)
}
