package upstream

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/telemetry"
)

// maxReported bounds the orchestrators of one event.
const maxReported = 100

// discoveryReport collects the orchestrators of one discovery for the operator's event stream. A nil report does
// nothing.
type discoveryReport struct {
	events telemetry.EventSink

	mu    sync.Mutex
	found []telemetry.Discovered // guarded by mu
	sent  bool                   // guarded by mu
}

// report begins one, nil without an event stream.
func (c *Client) report() *discoveryReport {
	if c.events == nil {
		return nil
	}
	return &discoveryReport{events: c.events}
}

// add records an orchestrator that can be used, in the order of answers. Those that come after send are too late.
func (r *discoveryReport) add(f *Found, took time.Duration) {
	if r == nil || f.Err != nil {
		return
	}
	one := telemetry.Discovered{URL: cutText(f.Offer.URI), LatencyMs: strconv.FormatInt(took.Milliseconds(), 10)}
	if f.Offer.Address != (core.Address{}) {
		one.Account = f.Offer.Address.String()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.sent && len(r.found) < maxReported {
		r.found = append(r.found, one)
	}
}

// send reports what was found, if anything was.
func (r *discoveryReport) send() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.sent = true
	found := slices.Clone(r.found)
	r.mu.Unlock()
	if len(found) > 0 {
		r.events.Send(telemetry.DiscoveryResults, found)
	}
}

// cutText bounds an address that an orchestrator chose.
func cutText(s string) string { return s[:min(len(s), 200)] }
