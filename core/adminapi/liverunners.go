package adminapi

// The paths of live runners.
const (
	PathRunners = Prefix + "/runners"
	// PathRunner takes a LiveRunnerChange, PathRunnerCheck a LiveRunnerName.
	PathRunner      = Prefix + "/runners/state"
	PathRunnerCheck = Prefix + "/runners/check"
)

// States of live runners.
const (
	RunnerReady    = "ready"
	RunnerNotReady = "not ready"
	RunnerDraining = "draining"
)

// LiveRunner is an application behind the orchestrator whose clients hold sessions.
type LiveRunner struct {
	// ID is the runner's in paths, Label what the operator calls it; empty for one that registered
	// itself.
	ID    string `json:"id"`
	Label string `json:"label"`
	// Kind is "static", "dynamic" (it registered itself) or "managed" (this node starts it).
	Kind string `json:"kind"`
	App  string `json:"app"`
	Mode string `json:"mode"`
	// Address is the runner's own, which only the operator sees.
	Address string `json:"address"`
	// State is RunnerReady, RunnerNotReady or RunnerDraining; Code and Reason say why it is not ready.
	State  string `json:"state"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Sessions it has and may have.
	Sessions int `json:"sessions"`
	Limit    int `json:"limit"`
	// Devices are a managed runner's, Restarts how often it was started again.
	Devices  []string `json:"devices"`
	Restarts int      `json:"restarts"`
}

// LiveRunners are all of a node's.
type LiveRunners struct {
	Runners []LiveRunner `json:"runners"`
}

// LiveRunnerChange keeps new sessions from a runner, or lets it have some again.
type LiveRunnerChange struct {
	// Name is the label or the id.
	Name  string `json:"name"`
	Drain bool   `json:"drain"`
}

// LiveRunnerName names a runner by its label or id; empty names all.
type LiveRunnerName struct {
	Name string `json:"name,omitempty"`
}
