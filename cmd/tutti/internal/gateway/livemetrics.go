package gateway

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/metrics"
)

// liveMetrics adds the series of live video and the report of the orchestrators' capacity. Without metrics neither
// is needed.
func (p *Part) liveMetrics(network *live.Upstream, ai *gatewayAI, streams func() int) (live.Recorder, error) {
	if p.Metrics == nil {
		return nil, nil
	}
	report := &live.CapacityReport{Network: network, Interval: p.Config.LiveAI.CapReportInterval}
	ai.components = append(ai.components, report)
	recorder, err := p.Metrics.LiveVideo(streams)
	err = errors.Join(err, p.Metrics.WatchLiveCapacity(func() (out []metrics.LiveCapacity) {
		for _, c := range report.Latest() {
			out = append(out, metrics.LiveCapacity{Model: c.Model, Orchestrator: c.URI, Capacity: c.Capacity, InUse: c.InUse})
		}
		return out
	}))
	if err != nil {
		return nil, fmt.Errorf("register metrics of live video: %w", err)
	}
	return recorder, nil
}
