package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Capacity is what an orchestrator offers of a model of live video, and how much of it is in use.
type Capacity struct {
	Model           inference.Model
	URI             string
	Capacity, InUse int
}

// CapacityReport asks the orchestrators at each interval which capacity they have for live video. It is a lifecycle
// component.
type CapacityReport struct {
	Network  *Upstream
	Interval time.Duration

	mu     sync.Mutex
	latest []Capacity
}

// Name returns the component's name.
func (*CapacityReport) Name() string { return "capacity of live video" }

// Run asks until ctx ends.
func (r *CapacityReport) Run(ctx context.Context, ready func()) error {
	ready()
	tick := time.NewTicker(r.Interval)
	defer tick.Stop()
	for {
		found := r.Network.Capacities(ctx)
		r.mu.Lock()
		r.latest = found
		r.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Latest is the last report. It must not be changed.
func (r *CapacityReport) Latest() []Capacity {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest
}

// maxModels bounds what is kept of one orchestrator's models.
const maxModels = 100

// Capacities asks all orchestrators. One that does not answer, or that this gateway would not use, is left out.
func (u *Upstream) Capacities(ctx context.Context) []Capacity {
	uris, _ := u.Orchestrators(ctx) // those that are known in spite of an error
	if len(uris) == 0 {
		return nil
	}
	caps := capability.Offer(capability.Default().With(capability.LiveVideoToVideo), u.Version)
	caps.Constraints.MinVersion = u.MinVersion
	wants := videorouting.Wants{Capabilities: caps, Blocked: u.Blocked}
	var mu sync.Mutex
	var out []Capacity
	// Answers may come after the end of the wait: they are too late.
	u.Client.Discover(ctx, uris, &wants, videorouting.DiscoveryWait{}, func(f upstream.Found) bool {
		if f.Err != nil || f.Offer.Capabilities == nil {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for id, m := range f.Offer.Capabilities.Constraints.PerCapability[capability.LiveVideoToVideo] {
			if n++; n > maxModels {
				break
			}
			model := inference.Model{Capability: capability.LiveVideoToVideo, ID: id}
			out = append(out, Capacity{model, f.Asked, int(m.Capacity), int(m.InUse)})
		}
		return false
	})
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(out)
}
