package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Reloads records the reloads of the configuration; the start is the first one. It is safe for
// concurrent use; a nil Reloads does nothing.
type Reloads struct{ good, at prometheus.Gauge }

// Reloads makes the series tutti_config_…; started is when the node read its
// configuration. It is for wiring, once.
func (m *Metrics) Reloads(started time.Time) (*Reloads, error) {
	r := &Reloads{
		good: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tutti_config_last_reload_successful",
			Help: "1 if the configuration could be taken over when it was read last."}),
		at: prometheus.NewGauge(prometheus.GaugeOpts{Name: "tutti_config_last_reload_success_timestamp_seconds",
			Help: "When the configuration was taken over last."}),
	}
	for _, g := range []prometheus.Gauge{r.good, r.at} {
		if err := m.Register(g); err != nil {
			return nil, err
		}
	}
	r.Reloaded(started, nil)
	return r, nil
}

// Reloaded records a reload; err is why it was not applied.
func (r *Reloads) Reloaded(at time.Time, err error) {
	if r == nil {
		return
	}
	if err != nil {
		r.good.Set(0)
		return
	}
	r.good.Set(1)
	r.at.Set(float64(at.UnixMilli()) / 1e3)
}
