package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// conditionsSource is a health board.
type conditionsSource interface {
	Visible() []health.Condition
}

// conditions collects the node's conditions at each scrape.
type conditions struct {
	source conditionsSource
	desc   *prometheus.Desc
}

// WatchConditions adds tutti_condition: 1 for each condition without a root cause that explains
// it. An alert on it fires with the code and the object.
func (m *Metrics) WatchConditions(source conditionsSource) error {
	return m.Register(&conditions{source, prometheus.NewDesc("tutti_condition",
		"A lasting problem of the node, by fault code, severity and what it is about; 1 while it holds.",
		[]string{"code", "severity", "about"}, nil)})
}

// Describe names the series.
func (c *conditions) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

// Collect sends one sample per condition.
func (c *conditions) Collect(out chan<- prometheus.Metric) {
	seen := make(map[[2]string]bool)
	for _, cond := range c.source.Visible() {
		labels := [2]string{string(cond.Code), cleanLabel(cond.About)}
		if seen[labels] {
			// Two names that are equal after cleaning would fail the whole scrape.
			continue
		}
		seen[labels] = true
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, 1, labels[0],
			fault.SeverityOf(cond.Code).String(), labels[1])
	}
}
