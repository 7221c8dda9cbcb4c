package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/inference"
)

// Help of series that two roles have, which must be the same.
const (
	helpInUse = "Slots of a model that jobs have."
	helpIdle  = "Slots of a model that are free."
)

// WatchModels collects, at every scrape, the models of source: used and idle slots, waiting
// jobs and state. orchestrator is the orchestrator that sends the jobs: the node itself, or
// that of a worker.
func (m *Metrics) WatchModels(nodeType, orchestrator string, source func() []inference.ModelState) error {
	labels := []string{"pipeline", "model_name"}
	desc := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, labels, nil) }
	// A gateway has these series too, for several orchestrators.
	of := append(labels[:2:2], "orchestrator_uri")
	return m.base(nodeType).Register(&models{
		source: source, orchestrator: orchestrator,
		inUse:   prometheus.NewDesc("livepeer_ai_container_in_use", helpInUse, of, nil),
		idle:    prometheus.NewDesc("livepeer_ai_container_idle", helpIdle, of, nil),
		gpus:    desc("livepeer_ai_gpus_idle", "GPUs that hold a model no job uses."),
		waiting: desc("tutti_ai_waiting", "Jobs that wait for a model's places."),
		state: prometheus.NewDesc("tutti_ai_model_state", "The state that a model is in; always 1.",
			append(labels[:2:2], "state"), nil),
		ready: desc("tutti_ai_model_ready", "1 for a model that takes jobs at once."),
	})
}

// WatchOrchestrators shows, at every scrape, how many orchestrators of AI jobs a gateway has.
func (m *Metrics) WatchOrchestrators(source func() int) error {
	return m.base(Gateway).Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "livepeer_ai_orchestrators_available_total", Help: "Orchestrators that offer a model and can be asked.",
	}, func() float64 { return float64(source()) }))
}

// models collects the states of models.
type models struct {
	source                             func() []inference.ModelState
	orchestrator                       string
	inUse, idle, waiting, ready, state *prometheus.Desc
	gpus                               *prometheus.Desc
}

// Describe names the series.
func (c *models) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.inUse
	ch <- c.idle
	ch <- c.gpus
	ch <- c.waiting
	ch <- c.ready
	ch <- c.state
}

// Collect reads the models.
func (c *models) Collect(ch chan<- prometheus.Metric) {
	type labels struct{ pipeline, name string }
	seen := make(map[labels]bool)
	for _, s := range c.source() {
		l := labels{cleanLabel(s.Model.Capability.Pipeline()), cleanLabel(s.Model.ID)}
		if seen[l] || len(seen) >= maxValues {
			continue // the same series twice would fail the whole scrape
		}
		seen[l] = true
		gauge := func(d *prometheus.Desc, v int, more ...string) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v),
				append([]string{l.pipeline, l.name}, more...)...)
		}
		gauge(c.inUse, s.InUse, c.orchestrator)
		gauge(c.idle, max(s.Capacity-s.InUse, 0), c.orchestrator)
		free := 0
		if s.InUse == 0 {
			free = len(s.Devices)
		}
		gauge(c.gpus, free)
		gauge(c.waiting, s.Waiting)
		ready := 0
		if s.State == inference.Ready {
			ready = 1
		}
		gauge(c.ready, ready)
		ch <- prometheus.MustNewConstMetric(c.state, prometheus.GaugeValue, 1, l.pipeline, l.name, string(s.State))
	}
}
