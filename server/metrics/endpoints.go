package metrics

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// EndpointState is one layer-2 endpoint at a scrape.
type EndpointState struct {
	// Name is scheme, host and port, without the key in it.
	Name string
	// State is one word; Serving means that it is the good one.
	State   string
	Serving bool
	Head    protocol.L2Block
	// Lag is how many blocks it is behind the others.
	Lag uint64
	// Errors is the share of failed requests lately, 0 to 1.
	Errors       float64
	Latency, P95 time.Duration
}

// maxEndpoints bounds the series of endpoints, above any realistic number.
const maxEndpoints = 32

// WatchEndpoints collects, at every scrape, the state of the layer-2 endpoints.
func (m *Metrics) WatchEndpoints(source func() []EndpointState) error {
	l := &gaugeSet{}
	up := l.gauge("tutti_rpc_up", "1 for a layer-2 endpoint that serves.", "endpoint")
	state := l.gauge("tutti_rpc_state", "The state that an endpoint is in; always 1.", "endpoint", "state")
	head := l.gauge("tutti_rpc_head_block", "The newest block that an endpoint has.", "endpoint")
	lag := l.gauge("tutti_rpc_lag_blocks", "How many blocks an endpoint is behind the newest.", "endpoint")
	errors := l.gauge("tutti_rpc_error_ratio", "Share of an endpoint's requests that failed lately, 0 to 1.", "endpoint")
	latency := l.gauge("tutti_rpc_latency_seconds", "Moving average of an endpoint's time to answer.", "endpoint")
	most := l.gauge("tutti_rpc_latency_p95_seconds", "What 95 of 100 of an endpoint's answers stay under.", "endpoint")
	l.look = func(send sender) {
		seen := make(map[string]bool)
		for _, e := range source() {
			name := cleanLabel(e.Name)
			if seen[name] || len(seen) >= maxEndpoints {
				continue
			}
			seen[name] = true
			send(up, boolValue(e.Serving), name)
			send(state, 1, name, cleanLabel(e.State))
			send(head, float64(e.Head), name)
			send(lag, float64(e.Lag), name)
			send(errors, e.Errors, name)
			send(latency, e.Latency.Seconds(), name)
			send(most, e.P95.Seconds(), name)
		}
	}
	return m.Register(l)
}
