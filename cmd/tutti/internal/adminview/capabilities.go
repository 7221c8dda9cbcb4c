package adminview

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/metrics"
)

// capabilities is the server of external capabilities; nil on a node where none may register.
func (p *Parts) capabilities() *byoc.Server {
	if p.Orchestrator == nil {
		return nil
	}
	return p.Orchestrator.Capabilities()
}

// capabilities lists and removes external capabilities for the admin API.
type capabilities struct{ p *Parts }

// Capabilities lists them in the order of their names.
func (c capabilities) Capabilities() (out []adminapi.Capability) {
	all := c.p.capabilities().Overview()
	for i := range all {
		o := &all[i]
		one := adminapi.Capability{
			Name: o.Name, Description: o.Description, Address: o.URL.String(), State: adminapi.CapabilityReady,
			Capacity: o.Capacity, InUse: o.Capacity - o.Free, Jobs: o.Use.Jobs, Seconds: o.Use.Seconds,
			Earned: weiOrZero(o.Use.Earned.Floor()),
		}
		if o.Registration.Price.Price.Currency != "" {
			one.Listed = o.Registration.Price.String()
		}
		switch {
		case o.Problem != nil:
			one.State, one.Reason = adminapi.CapabilityNotReady, o.Problem.Error()
		case o.Free == 0:
			one.State = adminapi.CapabilityFull
		}
		if o.Problem == nil && !o.Second.Free() {
			one.Price = o.Second.String()
		}
		out = append(out, one)
	}
	return out
}

// weiOrZero converts a sum of prices. Prices are never negative; 0 stands for an amount that is too large.
func weiOrZero(n *big.Int) core.Wei {
	w, err := core.WeiOf(n)
	if err != nil {
		return core.Wei{}
	}
	return w
}

// Remove removes a capability.
func (c capabilities) Remove(name string) error {
	if !c.p.capabilities().Remove(name) {
		return fault.New(fault.CapabilityUnknown, "remove an external capability", name)
	}
	return nil
}

// capabilityWork returns the kind of work that external capabilities are. It is open while one of them has a free
// slot. The result is false on a node without any.
func (g gate) capabilityWork() (adminapi.WorkKind, bool) {
	s := g.p.capabilities()
	if s == nil {
		return adminapi.WorkKind{}, false
	}
	all := s.Overview()
	d := adminapi.WorkKind{Name: "external capabilities"}
	for i := range all {
		d.InUse += all[i].Capacity - all[i].Free
		d.Limit += all[i].Capacity
		d.Open = d.Open || all[i].Problem == nil && all[i].Free > 0
	}
	switch {
	case g.p.Orchestrator.Rules.Draining():
		d.Open, d.Code, d.Reason = false, string(fault.Draining), "the node is stopping: it finishes what it has"
	case !d.Open && d.InUse < d.Limit:
		d.Reason = "no capability with a free slot has a price"
	case !d.Open:
		d.Reason = "all slots are taken"
	}
	return d, len(all) > 0
}

// capabilityState returns the slots, jobs and earnings of external capabilities for the metrics.
func (p source) capabilityState() []metrics.Capability {
	by := make(map[string]metrics.Capability)
	for name, u := range p.capabilities().Uses() {
		earned, _ := u.Earned.Rat().Float64()
		by[name] = metrics.Capability{Name: name, Jobs: u.Jobs, Seconds: u.Seconds, EarnedWei: earned}
	}
	all := p.capabilities().Overview()
	for i := range all {
		o := &all[i]
		one := by[o.Name]
		one.Name, one.Slots, one.InUse = o.Name, o.Capacity, o.Capacity-o.Free
		by[o.Name] = one
	}
	out := make([]metrics.Capability, 0, len(by))
	for _, c := range by {
		out = append(out, c)
	}
	return out
}
