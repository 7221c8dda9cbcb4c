package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// defaultSender is the label of the price without a gateway, anyModel of the
// one for every model of a pipeline.
const (
	defaultSender = "default"
	anyModel      = "default"
)

// WatchPrices shows, at every scrape, the prices that source lists: what an
// orchestrator asks, or the most that a gateway pays. A price whose currency has no
// rate is left out.
func (m *Metrics) WatchPrices(nodeType string, source func() []pricing.ListedPrice) error {
	return m.base(nodeType).Register(&prices{
		source: source,
		pixel: prometheus.NewDesc("livepeer_transcoding_price", "Price of a pixel in wei, by gateway.", []string{"sender"},
			nil),
		unit: prometheus.NewDesc("livepeer_price_per_capability", "Price of a unit in wei, by pipeline and model.",
			[]string{"pipeline", "model_name"}, nil),
	})
}

// prices collects them.
type prices struct {
	source      func() []pricing.ListedPrice
	pixel, unit *prometheus.Desc
}

// Describe names the series.
func (c *prices) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.pixel
	ch <- c.unit
}

// Collect reads the prices. Of a model's prices it shows the general one.
func (c *prices) Collect(ch chan<- prometheus.Metric) {
	seen := make(map[[2]string]bool)
	for _, l := range c.source() {
		if l.Wei == nil || len(seen) >= maxValues {
			continue
		}
		v, _ := l.Wei.Float64()
		switch {
		case l.Model == inference.Model{}:
			sender := defaultSender
			if l.Gateway != (core.Address{}) {
				sender = l.Gateway.String()
			}
			if first(seen, "", sender) {
				ch <- prometheus.MustNewConstMetric(c.pixel, prometheus.GaugeValue, v, sender)
			}
		case l.Gateway == core.Address{}:
			pipeline, name := modelLabel(l.Model.Capability, l.Model.ID)
			if first(seen, pipeline, name) {
				ch <- prometheus.MustNewConstMetric(c.unit, prometheus.GaugeValue, v, pipeline, name)
			}
		}
	}
}

func modelLabel(id capability.ID, name string) (pipeline, label string) {
	if name == "" {
		name = anyModel
	}
	return cleanLabel(id.Pipeline()), cleanLabel(name)
}

// first reports whether labels come for the first time: the same series twice would
// fail the whole scrape.
func first(seen map[[2]string]bool, a, b string) bool {
	key := [2]string{a, b}
	if seen[key] {
		return false
	}
	seen[key] = true
	return true
}
