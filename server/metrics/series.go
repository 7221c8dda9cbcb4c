package metrics

import "github.com/prometheus/client_golang/prometheus"

// Buckets in ascending order; the existing node keeps two of them out of order.
func timeBuckets() []float64 {
	return []float64{0, .25, .5, .75, 1, 1.25, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 10}
}

// loadBuckets are for up- and downloads, which are faster.
func loadBuckets() []float64 { return []float64{0, .05, .1, .25, .5, .75, 1, 1.5, 2, 3, 4, 5, 10} }

func scoreBuckets() []float64 {
	return []float64{0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 10, 15, 20, 40}
}

func durationBuckets() []float64 {
	return []float64{0, .5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 10, 15, 20, 30, 60}
}

func overheadBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .02, .03, .05, .1, .25, .5, 1, 5}
}

func ratioBuckets() []float64 { return []float64{.5, 1, 2, 3, 5, 10, 50, 100} }

// builder makes and registers the series of one role.
type builder struct {
	reg     prometheus.Registerer
	streams *streams
}

func (b *builder) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	b.reg.MustRegister(v)
	return v
}

func (b *builder) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	b.reg.MustRegister(g)
	return g
}

func (b *builder) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	b.reg.MustRegister(v)
	return v
}

// streamGauge returns a gauge of single streams: it has no values unless streams are distinguished.
func (b *builder) streamGauge(name, help string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{manifestLabel})
	b.reg.MustRegister(v)
	b.streams.own(v)
	return v
}

// streamCounter has the label manifest_id when streams are distinguished.
func (b *builder) streamCounter(name, help string, labels ...string) streamCounter {
	v := b.counter(name, help, b.streams.labels(labels)...)
	b.streams.own(v)
	return streamCounter{v, b.streams, false}
}

// clientCounter also has the label client_ip when clients are distinguished.
func (b *builder) clientCounter(name, help string) streamCounter {
	v := b.counter(name, help, b.streams.clientLabels()...)
	b.streams.own(v)
	return streamCounter{v, b.streams, true}
}

// clientHistogram is the same for a histogram.
func (b *builder) clientHistogram(name, help string, buckets []float64) streamHistogram {
	v := b.histogram(name, help, buckets, b.streams.clientLabels()...)
	b.streams.own(v)
	return streamHistogram{v, b.streams, true}
}

func (b *builder) streamHistogram(name, help string, buckets []float64, labels ...string) streamHistogram {
	v := b.histogram(name, help, buckets, b.streams.labels(labels)...)
	b.streams.own(v)
	return streamHistogram{v, b.streams, false}
}

type streamCounter struct {
	vec     *prometheus.CounterVec
	streams *streams
	// client: the series has the label client_ip.
	client bool
}

func (c streamCounter) add(manifest string, v float64, values ...string) {
	c.vec.WithLabelValues(c.streams.values(manifest, values, c.client)...).Add(v)
}

type streamHistogram struct {
	vec     *prometheus.HistogramVec
	streams *streams
	client  bool
}

func (h streamHistogram) observe(manifest string, v float64, values ...string) {
	h.vec.WithLabelValues(h.streams.values(manifest, values, h.client)...).Observe(v)
}
