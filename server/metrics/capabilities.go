package metrics

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// maxCapabilities bounds the external capabilities that are told apart; the rest is one, "other".
const maxCapabilities = 100

// Capability is what an external capability has and did.
type Capability struct {
	Name string
	// Slots and InUse are 0 for one that is not registered any more.
	Slots, InUse int
	// Jobs, Seconds and EarnedWei count since the node started.
	Jobs, Seconds int64
	EarnedWei     float64
}

// capabilities collects the state at each scrape.
type capabilities struct {
	source                              func() []Capability
	slots, inUse, jobs, seconds, earned *prometheus.Desc
}

// WatchCapabilities adds the series tutti_capability_….
func (m *Metrics) WatchCapabilities(source func() []Capability) error {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, []string{"capability"}, nil)
	}
	return m.base(Orchestrator).Register(&capabilities{
		source: source,
		slots:  desc("tutti_capability_slots", "Slots of external capabilities."),
		inUse:  desc("tutti_capability_slots_in_use", "Slots of external capabilities in use."),
		jobs:   desc("tutti_capability_jobs_total", "Requests and streams of external capabilities."),
		seconds: desc("tutti_capability_seconds_total",
			"Seconds of external capabilities that were charged for."),
		earned: desc("tutti_capability_earned_wei_total", "What those seconds cost, in wei."),
	})
}

// Describe names the series.
func (c *capabilities) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.slots, c.inUse, c.jobs, c.seconds, c.earned} {
		ch <- d
	}
}

// Collect reads the state.
func (c *capabilities) Collect(ch chan<- prometheus.Metric) {
	for _, one := range foldCapabilities(c.source()) {
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
			ch <- prometheus.MustNewConstMetric(d, kind, v, one.Name)
		}
		send(c.slots, prometheus.GaugeValue, float64(one.Slots))
		send(c.inUse, prometheus.GaugeValue, float64(one.InUse))
		send(c.jobs, prometheus.CounterValue, float64(one.Jobs))
		send(c.seconds, prometheus.CounterValue, float64(one.Seconds))
		send(c.earned, prometheus.CounterValue, one.EarnedWei)
	}
}

// foldCapabilities adds up what has the same label. Registered ones come first, so that they keep their names.
func foldCapabilities(all []Capability) (out []Capability) {
	slices.SortFunc(all, func(a, b Capability) int {
		return cmp.Or(cmp.Compare(min(b.Slots, 1), min(a.Slots, 1)), cmp.Compare(a.Name, b.Name))
	})
	at := make(map[string]int)
	for _, c := range all {
		c.Name = cleanLabel(c.Name)
		if _, known := at[c.Name]; !known && len(at) >= maxCapabilities {
			c.Name = otherValue
		}
		i, known := at[c.Name]
		if !known {
			i = len(out)
			at[c.Name] = i
			out = append(out, Capability{Name: c.Name})
		}
		o := &out[i]
		o.Slots, o.InUse = o.Slots+c.Slots, o.InUse+c.InUse
		o.Jobs, o.Seconds, o.EarnedWei = o.Jobs+c.Jobs, o.Seconds+c.Seconds, o.EarnedWei+c.EarnedWei
	}
	return out
}
