package rpc

import (
	"time"

	"github.com/tuttinode/tutti/core/capability"
)

// FromCapabilities returns the message of a capability set. Constraints are always
// in it, as gateways rely on that; capacities only where the set has them.
func FromCapabilities(c capability.Capabilities) *Capabilities {
	m := &Capabilities{
		Bitstring:   c.Bits,
		Mandatories: c.Mandatory,
		Version:     c.Version,
		Constraints: &Capabilities_Constraints{MinVersion: c.Constraints.MinVersion},
	}
	if len(c.Capacities) > 0 {
		m.Capacities = make(map[uint32]uint32, len(c.Capacities))
		for id, n := range c.Capacities {
			m.Capacities[uint32(id)] = n
		}
	}
	if per := c.Constraints.PerCapability; len(per) > 0 {
		m.Constraints.PerCapability = make(map[uint32]*Capabilities_CapabilityConstraints, len(per))
		for id, models := range per {
			m.Constraints.PerCapability[uint32(id)] = fromModels(models)
		}
	}
	return m
}

func fromModels(models capability.Models) *Capabilities_CapabilityConstraints {
	m := &Capabilities_CapabilityConstraints{
		Models: make(map[string]*Capabilities_CapabilityConstraints_ModelConstraint, len(models)),
	}
	for name, model := range models {
		m.Models[name] = &Capabilities_CapabilityConstraints_ModelConstraint{
			Warm:          model.Warm,
			Capacity:      model.Capacity,
			RunnerVersion: model.RunnerVersion,
			CapacityInUse: model.InUse,
			Context:       model.Context,
			Operations:    model.Operations,
			Since:         fromTime(model.Since),
			Features:      model.Features,
			Lacks:         model.Lacks,
		}
	}
	return m
}

// Capability reads the message; nil reads as an empty request. Where the sender
// left out the capacities they stay nil: every bit then counts one unit
// (capability.Capabilities.Units).
//
// The result shares the bit strings' memory with the message.
func (x *Capabilities) Capability() capability.Capabilities {
	c := capability.Capabilities{
		Bits:        x.GetBitstring(),
		Mandatory:   x.GetMandatories(),
		Version:     x.GetVersion(),
		Constraints: capability.Constraints{MinVersion: x.GetConstraints().GetMinVersion()},
	}
	if n := len(x.GetCapacities()); n > 0 {
		c.Capacities = make(map[capability.ID]uint32, n)
		for id, units := range x.GetCapacities() {
			c.Capacities[capability.ID(id)] = units
		}
	}
	if per := x.GetConstraints().GetPerCapability(); len(per) > 0 {
		c.Constraints.PerCapability = make(map[capability.ID]capability.Models, len(per))
		for id, m := range per {
			c.Constraints.PerCapability[capability.ID(id)] = toModels(m)
		}
	}
	return c
}

func toModels(m *Capabilities_CapabilityConstraints) capability.Models {
	models := make(capability.Models, len(m.GetModels()))
	for name, model := range m.GetModels() {
		models[name] = capability.Model{
			Warm:          model.GetWarm(),
			Capacity:      model.GetCapacity(),
			InUse:         model.GetCapacityInUse(),
			RunnerVersion: model.GetRunnerVersion(),
			Context:       model.GetContext(),
			Operations:    words(model.GetOperations(), maxOperations),
			Since:         toTime(model.GetSince()),
			Features:      words(model.GetFeatures(), maxFeatures),
			Lacks:         words(model.GetLacks(), maxFeatures),
		}
	}
	return models
}

// What is kept of a peer's words for operations and features.
const maxOperations, maxFeatures, maxWord = 8, 32, 32

// words returns the first of a peer's words, without the long ones.
func words(all []string, most int) []string {
	var kept []string
	for _, w := range all[:min(len(all), most)] {
		if len(w) <= maxWord {
			kept = append(kept, w)
		}
	}
	return kept
}

// fromTime returns a time in Unix seconds, 0 for the zero time.
func fromTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func toTime(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
