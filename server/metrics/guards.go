package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// GuardChecks is what a guard did at one stage since the node started.
type GuardChecks struct {
	Guard, Stage string
	// Results counts questions by what came of them.
	Results map[string]int64
	// Seconds is their time together, Within how many took at most as long as a bucket says, Number all of them.
	Seconds float64
	Within  map[float64]uint64
	Number  uint64
}

// AnswerCache is what a cache of answers holds, and did since the node started.
type AnswerCache struct {
	Answers                 int
	Bytes                   int64
	Hits, Misses, Evictions int64
}

// guardSeries collects what guards and the cache of answers did at each scrape.
type guardSeries struct {
	guards                           func() []GuardChecks
	cache                            func() AnswerCache
	checks, seconds                  *prometheus.Desc
	lookups, answers, bytes, evicted *prometheus.Desc
}

// WatchGuards adds the series tutti_ai_guard_… and tutti_ai_cache_….
func (m *Metrics) WatchGuards(checks func() []GuardChecks, cache func() AnswerCache) error {
	desc := prometheus.NewDesc
	return m.base(Gateway).Register(&guardSeries{
		guards: checks, cache: cache,
		checks: desc("tutti_ai_guard_checks_total", "Questions to guards by what came of them.",
			[]string{"guard", "stage", "result"}, nil),
		seconds: desc("tutti_ai_guard_seconds", "Time of questions to guards, with their waiting.",
			[]string{"guard", "stage"}, nil),
		lookups: desc("tutti_ai_cache_lookups_total", "Requests whose answer was looked for in the cache of answers.",
			[]string{"result"}, nil),
		answers: desc("tutti_ai_cache_answers", "Answers in the cache of answers.", nil, nil),
		bytes:   desc("tutti_ai_cache_bytes", "Memory of the answers in the cache of answers.", nil, nil),
		evicted: desc("tutti_ai_cache_evictions_total", "Answers that made room for others in the cache of answers.", nil,
			nil),
	})
}

// Describe names the series.
func (g *guardSeries) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.checks, g.seconds, g.lookups, g.answers, g.bytes, g.evicted} {
		ch <- d
	}
}

// Collect reads the counts.
func (g *guardSeries) Collect(ch chan<- prometheus.Metric) {
	for _, c := range g.guards() {
		for result, n := range c.Results {
			ch <- prometheus.MustNewConstMetric(g.checks, prometheus.CounterValue, float64(n), c.Guard, c.Stage, result)
		}
		ch <- prometheus.MustNewConstHistogram(g.seconds, c.Number, c.Seconds, c.Within, c.Guard, c.Stage)
	}
	s := g.cache()
	ch <- prometheus.MustNewConstMetric(g.lookups, prometheus.CounterValue, float64(s.Hits), "hit")
	ch <- prometheus.MustNewConstMetric(g.lookups, prometheus.CounterValue, float64(s.Misses), "miss")
	ch <- prometheus.MustNewConstMetric(g.answers, prometheus.GaugeValue, float64(s.Answers))
	ch <- prometheus.MustNewConstMetric(g.bytes, prometheus.GaugeValue, float64(s.Bytes))
	ch <- prometheus.MustNewConstMetric(g.evicted, prometheus.CounterValue, float64(s.Evictions))
}
