package dashboard

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// capabilities are the node's external ones: one works until it is removed, one has no price.
type capabilities struct{ n *node }

func (c capabilities) Capabilities() []adminapi.Capability {
	c.n.mu.Lock()
	defer c.n.mu.Unlock()
	out := []adminapi.Capability{
		{Name: "speak", State: adminapi.CapabilityNotReady, Reason: "the rate of its currency is not known", Capacity: 1,
			Listed: "0.01USD per 1"},
		{Name: "upscale", Description: "makes pictures larger", State: adminapi.CapabilityReady, Capacity: 4, InUse: 1,
			Price: "5000000000", Jobs: 1204, Seconds: 33_170, Earned: core.NewWei(165_850_000_000_000)},
	}
	if c.n.drained["upscale"] {
		out = out[:1]
	}
	return out
}

func (c capabilities) Remove(name string) error {
	if name != "upscale" {
		return fault.New(fault.CapabilityUnknown, "remove an external capability", name)
	}
	return c.n.mark(name, true)
}
