package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Batches are what a gateway's batches hold, and did since the node started.
type Batches struct {
	// Batches are those that have not ended, by status; Ended those that did, by their last one.
	Batches, Ended map[string]int64
	// Running are the lines in progress, Waiting those that may be started.
	Running, Waiting int64
	// Lines counts lines by result.
	Lines map[string]int64
	// Bytes is the storage in use, Storage what there is.
	Bytes, Storage int64
}

// batchSeries collects what batches hold and did at each scrape.
type batchSeries struct {
	batches                                              func() Batches
	open, ended, lines, running, waiting, bytes, storage *prometheus.Desc
}

// WatchBatches adds the series tutti_ai_batch….
func (m *Metrics) WatchBatches(batches func() Batches) error {
	desc := prometheus.NewDesc
	return m.base(Gateway).Register(&batchSeries{
		batches: batches,
		open:    desc("tutti_ai_batches", "Batches that have not ended, by status.", []string{"status"}, nil),
		ended:   desc("tutti_ai_batches_total", "Batches that have ended, by status.", []string{"status"}, nil),
		lines:   desc("tutti_ai_batch_lines_total", "Lines of batches by result.", []string{"result"}, nil),
		running: desc("tutti_ai_batch_lines_in_progress", "Lines of batches that wait for their answer.", nil, nil),
		waiting: desc("tutti_ai_batch_lines_waiting", "Lines of batches that have not been started.", nil, nil),
		bytes:   desc("tutti_ai_batch_bytes", "Storage that files and batches use.", nil, nil),
		storage: desc("tutti_ai_batch_bytes_limit", "Storage that files and batches may use.", nil, nil),
	})
}

// Describe names the series.
func (b *batchSeries) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{b.open, b.ended, b.lines, b.running, b.waiting, b.bytes, b.storage} {
		ch <- d
	}
}

// Collect reads the figures.
func (b *batchSeries) Collect(ch chan<- prometheus.Metric) {
	s := b.batches()
	for _, by := range []struct {
		desc   *prometheus.Desc
		kind   prometheus.ValueType
		values map[string]int64
	}{
		{b.open, prometheus.GaugeValue, s.Batches}, {b.ended, prometheus.CounterValue, s.Ended},
		{b.lines, prometheus.CounterValue, s.Lines},
	} {
		for label, n := range by.values {
			ch <- prometheus.MustNewConstMetric(by.desc, by.kind, float64(n), label)
		}
	}
	for desc, n := range map[*prometheus.Desc]int64{b.running: s.Running, b.waiting: s.Waiting, b.bytes: s.Bytes,
		b.storage: s.Storage} {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n))
	}
}
