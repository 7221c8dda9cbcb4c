package capability

import "time"

// Capabilities is what a node offers or a job asks for. The zero value is an
// empty request.
type Capabilities struct {
	Bits Set
	// Mandatory is what a request must name before the offer holds.
	Mandatory Set
	// Capacities is the number of units per capability. It is nil for a job's
	// request, and where a peer sent none; see Units.
	Capacities map[ID]uint32
	// Version is the offering node's version, "0.9.1".
	Version     string
	Constraints Constraints
}

// Constraints narrow an offer or a request.
type Constraints struct {
	// MinVersion is the lowest node version that a request takes; "" takes any.
	MinVersion string
	// PerCapability names the models of AI capabilities.
	PerCapability map[ID]Models
}

// Models are the models of one capability by model ID.
type Models map[string]Model

// Model is one model of an offer or a request.
type Model struct {
	// Warm says that the model is loaded, or must be.
	Warm bool
	// Capacity and InUse count the model's parallel jobs.
	Capacity, InUse uint32
	// RunnerVersion is the runner's version in an offer and the lowest one taken
	// in a request.
	RunnerVersion string
	// Context is how many tokens prompt and answer may have together, 0 when unknown;
	// Operations are what can be asked of a model of llm; Since is when it came to be as
	// it is; Features and Lacks are what else it can do and cannot. Only tutti nodes send these.
	Context         int64
	Operations      []string
	Since           time.Time
	Features, Lacks []string
}

// Offer returns a node's capabilities with one unit each.
func Offer(set Set, version string) Capabilities {
	capacities := make(map[ID]uint32, set.Len())
	for _, id := range set.IDs() {
		capacities[id] = 1
	}
	return Capabilities{Bits: set, Capacities: capacities, Version: version}
}

// Units returns how many units of a capability there are. Without a capacities map
// every capability counts one.
func (c Capabilities) Units(id ID) uint32 {
	if c.Capacities == nil {
		if c.Bits.Has(id) {
			return 1
		}
		return 0
	}
	return c.Capacities[id]
}
