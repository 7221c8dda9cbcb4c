package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// Node is what kind of node this is.
type Node struct {
	Version  string   `json:"version"`
	Roles    []string `json:"roles"`
	Network  string   `json:"network"`
	Offchain bool     `json:"offchain"`
	// ChainID is 0 off-chain and before the first endpoint answered.
	ChainID uint64 `json:"chainId"`
	// Account acts and pays for gas; Orchestrator is the recipient of tickets. Both are
	// null off-chain.
	Account      *core.Address `json:"account"`
	Orchestrator *core.Address `json:"orchestrator"`
	// NetworkVersion is what the node tells its peers.
	NetworkVersion string    `json:"networkVersion"`
	Started        time.Time `json:"started"`
}

// Conditions are the node's lasting problems, root causes first.
type Conditions struct {
	Conditions []Condition `json:"conditions"`
}

// Condition is one of them.
type Condition struct {
	Code   string    `json:"code"`
	About  string    `json:"about"`
	Detail string    `json:"detail"`
	Since  time.Time `json:"since"`
	Cause  string    `json:"cause"`
	Remedy string    `json:"remedy"`
	// HiddenBy is the code of the root cause that explains this one, or empty.
	HiddenBy string `json:"hiddenBy"`
}

// ServiceAddress is what the node knows of its public address.
type ServiceAddress struct {
	// Advertised is the address in offers, OnChain the one in the registry,
	// Discovered what others see; empty where not known.
	Advertised string `json:"advertised"`
	OnChain    string `json:"onChain"`
	Discovered string `json:"discovered"`
	// Mismatch: OnChain is not where the node is.
	Mismatch  bool         `json:"mismatch"`
	Reachable Reachability `json:"reachable"`
	Detail    string       `json:"detail"`
}

// Reachability says whether others get through to the node.
type Reachability string

// The answers of a check. A router that cannot loop back to its own public address
// is ReachHairpin, which says nothing about others.
const (
	ReachUnknown Reachability = "unknown"
	ReachYes     Reachability = "yes"
	ReachNo      Reachability = "no"
	ReachHairpin Reachability = "hairpin"
)

// Settings are what can be changed while the node runs. A restart returns to the
// configuration.
type Settings struct {
	// MaxSessions is a number, or "auto" where the node measures what it can do;
	// empty on a node without sessions.
	MaxSessions MaxSessions `json:"maxSessions"`
	LogLevel    int         `json:"logLevel"`
}

// SettingsChange is any of them; what is absent stays.
type SettingsChange struct {
	MaxSessions *MaxSessions `json:"maxSessions,omitempty"`
	LogLevel    *int         `json:"logLevel,omitempty"`
}
