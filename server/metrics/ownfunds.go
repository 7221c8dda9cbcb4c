package metrics

import (
	"context"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// WatchFunds shows, at every scrape, what a gateway pays from. A source that fails
// leaves the series out.
func (m *Metrics) WatchFunds(sender core.Address, source func(ctx context.Context) (protocol.SenderFunds,
	error)) error {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, []string{"sender"}, nil)
	}
	return m.base(Gateway).Register(&ownFunds{
		source: source, sender: sender.String(),
		deposit: []*prometheus.Desc{
			desc("livepeer_gateway_deposit", "A gateway's deposit as it was seen last, in gwei."),
			desc("livepeer_broadcaster_deposit", "The same under its old name."),
		},
		reserve: []*prometheus.Desc{
			desc("livepeer_gateway_reserve", "A gateway's reserve as it was seen last, in gwei."),
			desc("livepeer_broadcaster_reserve", "The same under its old name."),
		},
	})
}

// ownFunds collects a gateway's own deposit and reserve.
type ownFunds struct {
	source           func(ctx context.Context) (protocol.SenderFunds, error)
	sender           string
	deposit, reserve []*prometheus.Desc
}

// Describe names the series.
func (c *ownFunds) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range slices.Concat(c.deposit, c.reserve) {
		ch <- d
	}
}

// Collect reads the funds.
func (c *ownFunds) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	funds, err := c.source(ctx)
	if err != nil {
		return
	}
	for _, d := range c.deposit {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, weiGwei(funds.Deposit), c.sender)
	}
	for _, d := range c.reserve {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, weiGwei(funds.Reserve.FundsRemaining), c.sender)
	}
}
