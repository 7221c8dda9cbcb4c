package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// maxApps bounds the apps that are told apart; runners name their own.
const maxApps = 100

// LiveApp is what the live runners of one application have.
type LiveApp struct {
	App string
	// Ready and NotReady count runners; Sessions are those of all, Slots those of ready ones.
	Ready, NotReady, Sessions, Slots int
}

// LiveState is what a node's live runners do.
type LiveState struct {
	Apps []LiveApp
	// Requests counts requests for sessions by the answer: "ok", or a code.
	Requests map[string]int64
	// Channels and ChannelBytes are those that are open, and what they keep.
	Channels     int
	ChannelBytes int64
}

// liveRunners collects the state at each scrape.
type liveRunners struct {
	source                                        func() LiveState
	runners, sessions, slots, requests, num, size *prometheus.Desc
}

// WatchLiveRunners adds the series tutti_live_….
func (m *Metrics) WatchLiveRunners(source func() LiveState) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return m.base(Orchestrator).Register(&liveRunners{
		source:   source,
		runners:  desc("tutti_live_runners", "Live runners by application and state: ready, or not ready.", "app", "state"),
		sessions: desc("tutti_live_sessions", "Sessions of live runners.", "app"),
		slots:    desc("tutti_live_slots", "Sessions that the ready live runners may have.", "app"),
		requests: desc("tutti_live_session_requests_total",
			"Requests for sessions of live runners by the answer: ok, or a fault code.", "code"),
		num:  desc("tutti_live_channels", "Open channels."),
		size: desc("tutti_live_channel_bytes", "What the channels keep in memory."),
	})
}

// Describe names the series.
func (c *liveRunners) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.runners, c.sessions, c.slots, c.requests, c.num, c.size} {
		ch <- d
	}
}

// Collect reads the state. Apps beyond the bound are one, "other".
func (c *liveRunners) Collect(ch chan<- prometheus.Metric) {
	s := c.source()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, a := range foldApps(s.Apps) {
		gauge(c.runners, float64(a.Ready), a.App, "ready")
		gauge(c.runners, float64(a.NotReady), a.App, "not ready")
		gauge(c.sessions, float64(a.Sessions), a.App)
		gauge(c.slots, float64(a.Slots), a.App)
	}
	for code, n := range s.Requests {
		ch <- prometheus.MustNewConstMetric(c.requests, prometheus.CounterValue, float64(n), code)
	}
	gauge(c.num, float64(s.Channels))
	gauge(c.size, float64(s.ChannelBytes))
}

// foldApps adds up what has the same label.
func foldApps(apps []LiveApp) (out []LiveApp) {
	at := make(map[string]int)
	for _, a := range apps {
		a.App = cleanLabel(a.App)
		if _, known := at[a.App]; !known && len(at) >= maxApps {
			a.App = otherValue
		}
		i, known := at[a.App]
		if !known {
			i = len(out)
			at[a.App] = i
			out = append(out, LiveApp{App: a.App})
		}
		out[i].Ready += a.Ready
		out[i].NotReady += a.NotReady
		out[i].Sessions += a.Sessions
		out[i].Slots += a.Slots
	}
	return out
}
