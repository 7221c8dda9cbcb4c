package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// gaugeSet is a collector of gauges that are read at each scrape. Look sends the known ones.
type gaugeSet struct {
	descs []*prometheus.Desc
	look  func(send sender)
}

// sender sends one gauge.
type sender func(d *prometheus.Desc, v float64, labels ...string)

// gauge makes a gauge's description.
func (l *gaugeSet) gauge(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	l.descs = append(l.descs, d)
	return d
}

// Describe names the series.
func (l *gaugeSet) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range l.descs {
		ch <- d
	}
}

// Collect reads the source.
func (l *gaugeSet) Collect(ch chan<- prometheus.Metric) {
	l.look(func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	})
}

// boolValue is 1 for true.
func boolValue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
