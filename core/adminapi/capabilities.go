package adminapi

import "github.com/tuttinode/tutti/core"

// The paths of external capabilities.
const (
	PathCapabilities = Prefix + "/capabilities"
	// PathCapabilityRemove takes a CapabilityName.
	PathCapabilityRemove = Prefix + "/capabilities/remove"
)

// States of external capabilities.
const (
	CapabilityReady    = "ready"
	CapabilityFull     = "full"
	CapabilityNotReady = "not ready"
)

// Capability is a server of the operator's that gateways use by the second.
type Capability struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Address is the server's own, which only the operator sees.
	Address string `json:"address"`
	// State is CapabilityReady, CapabilityFull or CapabilityNotReady; Reason says why it is not ready.
	State  string `json:"state"`
	Reason string `json:"reason"`
	// InUse of Capacity slots.
	InUse    int `json:"inUse"`
	Capacity int `json:"capacity"`
	// Price is that of a second in wei, empty for free work and while it is not known; Listed is the price as it was
	// registered in another currency.
	Price  string `json:"price"`
	Listed string `json:"listed"`
	// Jobs are requests and streams, Seconds what was charged for and Earned what that cost, since the node started.
	Jobs    int64    `json:"jobs"`
	Seconds int64    `json:"seconds"`
	Earned  core.Wei `json:"earned"`
}

// Capabilities are all of a node's.
type Capabilities struct {
	Capabilities []Capability `json:"capabilities"`
}

// CapabilityName names a capability.
type CapabilityName struct {
	Name string `json:"name"`
}
