package metrics

import (
	"math/big"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// LiveVideo are the metrics of a gateway's live video, by the names of the existing node. It is safe for concurrent
// use.
type LiveVideo struct {
	attempts       prometheus.Counter
	delay          prometheus.Histogram
	price          prometheus.Gauge
	received, sent prometheus.Counter
}

// LiveVideo adds the series of live video; streams is how many run.
func (m *Metrics) LiveVideo(streams func() int) (*LiveVideo, error) {
	r := &LiveVideo{
		attempts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livepeer_ai_live_attempt", Help: "Orchestrators that were asked to take a live stream.",
		}),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "livepeer_ai_first_segment_delay_ms",
			Help:    "Time from the request to an orchestrator to its first segment of output.",
			Buckets: []float64{100, 250, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000},
		}),
		price: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "livepeer_live_ai_price_per_pixel", Help: "What a pixel of the last live stream that began costs, in wei.",
		}),
		received: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livepeer_ai_whip_transport_bytes_received", Help: "Bytes that publishers of live video sent.",
		}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "livepeer_ai_whip_transport_bytes_sent", Help: "Bytes that were sent to publishers of live video.",
		}),
	}
	base := m.base(Gateway)
	for _, c := range []prometheus.Collector{r.attempts, r.delay, r.price, r.received, r.sent, prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "livepeer_ai_current_live_pipelines", Help: "Live streams that run."},
		func() float64 { return float64(streams()) })} {
		if err := base.Register(c); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Attempt counts a request to an orchestrator to take a stream.
func (r *LiveVideo) Attempt() { r.attempts.Inc() }

// FirstSegment records how long an orchestrator took to its first output.
func (r *LiveVideo) FirstSegment(d time.Duration) { r.delay.Observe(float64(d.Milliseconds())) }

// Price records what a pixel of a stream costs, in wei; nil is free.
func (r *LiveVideo) Price(wei *big.Rat) {
	f := 0.0
	if wei != nil {
		f, _ = wei.Float64()
	}
	r.price.Set(f)
}

// Transport counts what passed between publishers and the gateway.
func (r *LiveVideo) Transport(received, sent uint64) {
	r.received.Add(float64(received))
	r.sent.Add(float64(sent))
}
