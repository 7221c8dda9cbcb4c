package adminapi

import "github.com/tuttinode/tutti/core"

// Credit is what one orchestrator was paid and has not worked for, in wei of expected
// value.
type Credit struct {
	// Orchestrator is its account, or its address where it has none on the chain.
	Orchestrator string `json:"orchestrator"`
	// Unworked was paid for jobs that are over, InProgress for those that are being done;
	// Bound is the present maximum of both together.
	Unworked   core.Wei `json:"unworked"`
	InProgress core.Wei `json:"inProgress"`
	Bound      core.Wei `json:"bound"`
	// Stopped: it is paid nothing more until it holds half of Bound, or is forgiven.
	Stopped bool `json:"stopped"`
	// Balance is what is left in its accounts: further jobs are paid from it.
	Balance core.Wei `json:"balance"`
}

// Credits are those of all orchestrators that were paid recently, the largest first.
type Credits struct {
	Credits []Credit `json:"credits"`
}

// Forgiveness names the orchestrator whose unworked payments are written off.
type Forgiveness struct {
	Orchestrator string `json:"orchestrator"`
}
