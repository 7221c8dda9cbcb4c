package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
)

// scrapeTimeout bounds how long a scrape waits for a source.
const scrapeTimeout = 5 * time.Second

// WinnerState is how the winning tickets stand at a scrape.
type WinnerState struct {
	// Counts are by state.
	Counts map[string]int
	// Waiting are the face values of tickets that are won, queued or submitted, Expiring
	// those of them whose last round is the present one.
	Waiting, Expiring core.Wei
}

// WatchWinners shows, at every scrape, the winning tickets that source tells of. A
// source that fails leaves the series out.
func (m *Metrics) WatchWinners(nodeType string, source func(ctx context.Context) (WinnerState, error)) error {
	return m.base(nodeType).Register(&winners{
		source: source,
		count: prometheus.NewDesc("tutti_winning_tickets", "Winning tickets by state, without those of rounds long past.",
			[]string{"state"}, nil),
		waiting: prometheus.NewDesc("tutti_winning_tickets_waiting_gwei",
			"Face value of winning tickets that are won, queued or submitted, in gwei.", nil, nil),
		expiring: prometheus.NewDesc("tutti_winning_tickets_expiring_gwei",
			"The part of it that is lost when the present round ends, in gwei.", nil, nil),
	})
}

// winners collects the state of winning tickets.
type winners struct {
	source                   func(ctx context.Context) (WinnerState, error)
	count, waiting, expiring *prometheus.Desc
}

// Describe names the series.
func (c *winners) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.count
	ch <- c.waiting
	ch <- c.expiring
}

// Collect reads the tickets.
func (c *winners) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	state, err := c.source(ctx)
	if err != nil {
		return
	}
	for name, n := range state.Counts {
		ch <- prometheus.MustNewConstMetric(c.count, prometheus.GaugeValue, float64(n), cleanLabel(name))
	}
	ch <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, weiGwei(state.Waiting))
	ch <- prometheus.MustNewConstMetric(c.expiring, prometheus.GaugeValue, weiGwei(state.Expiring))
}
