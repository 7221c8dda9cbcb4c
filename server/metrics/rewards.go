package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/protocol"
)

// rewardStates are all states of a round's reward.
func rewardStates() []protocol.RewardState {
	return []protocol.RewardState{
		protocol.RewardStateOff, protocol.RewardIdle, protocol.RewardWaiting, protocol.RewardSending, protocol.RewardDone,
		protocol.RewardFailed,
	}
}

// rewards counts rounds whose reward was settled while the node ran.
type rewards struct {
	source func() protocol.RewardStatus
	state  *prometheus.Desc
	rounds *prometheus.Desc
	errors *prometheus.Desc

	mu      sync.Mutex
	begun   bool                              // guarded by mu
	counted protocol.Round                    // guarded by mu: the newest round that is in counts
	counts  map[protocol.RewardOutcome]uint64 // guarded by mu
}

// WatchRewards collects, at every scrape, the state of the round's reward, and counts how
// rounds ended.
func (m *Metrics) WatchRewards(source func() protocol.RewardStatus) error {
	return m.base(Orchestrator).Register(&rewards{
		source: source, counts: make(map[protocol.RewardOutcome]uint64),
		state: prometheus.NewDesc("tutti_reward_state", "1 for the state that the present round's reward is in.",
			[]string{"state"}, nil),
		rounds: prometheus.NewDesc("tutti_reward_rounds_total",
			"Rounds that ended since the node began, by what became of their reward.", []string{"outcome"}, nil),
		errors: prometheus.NewDesc("livepeer_reward_call_errors", "Calls of reward that failed.", nil, nil),
	})
}

// Describe names the series.
func (c *rewards) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.state
	ch <- c.rounds
	ch <- c.errors
}

// Collect looks at the caller.
func (c *rewards) Collect(ch chan<- prometheus.Metric) {
	s := c.source()
	for _, state := range rewardStates() {
		ch <- prometheus.MustNewConstMetric(c.state, prometheus.GaugeValue, boolValue(state == s.State), string(state))
	}
	ch <- prometheus.MustNewConstMetric(c.errors, prometheus.CounterValue, float64(s.Failures))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(s)
	for _, outcome := range []protocol.RewardOutcome{protocol.RewardCalled, protocol.RewardMissed} {
		ch <- prometheus.MustNewConstMetric(c.rounds, prometheus.CounterValue, float64(c.counts[outcome]), string(outcome))
	}
}

// count takes rounds in that were settled since the last look; those of before the
// first one are history. The caller holds mu.
func (c *rewards) count(s protocol.RewardStatus) {
	newest := c.counted
	for _, p := range s.History {
		if p.Round > c.counted && c.begun {
			c.counts[p.Outcome]++
		}
		newest = max(newest, p.Round)
	}
	c.counted, c.begun = newest, true
}
