package inference

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// State is where a model is in its life at this node.
type State string

// The states of a model.
const (
	// Absent: nothing runs for it; a first job starts it.
	Absent State = "absent"
	// Pulling: its image is on the way.
	Pulling State = "pulling"
	// Starting: its container is being made, or its server is not reached yet.
	Starting State = "starting"
	// Loading: the runner answers but has not loaded the model.
	Loading State = "loading"
	// Ready: it takes jobs.
	Ready State = "ready"
	// Failed: it takes none; Reason says why, and it is tried again with back-off.
	Failed State = "failed"
	// Evicted: it was stopped to free memory for another and is started again when asked for.
	Evicted State = "evicted"
	// Draining: it finishes its jobs and takes no more.
	Draining State = "draining"
)

// ModelState is one model at this node, at one moment.
type ModelState struct {
	Model Model
	State State
	// Warm says that it was configured to be loaded from the start.
	Warm bool
	// External says that its runner is not ours to start.
	External bool
	// Since is when the state began.
	Since time.Time
	// Code and Reason say why it is not ready, "" while it is.
	Code   fault.Code
	Reason string
	// LastLines are the last lines that its container printed, oldest first.
	LastLines []string
	// Progress is how far a pull or load is, "42 % of 6.1 GB", "" when unknown.
	Progress string
	// Capacity is how many jobs it takes at once, as its runners say; InUse and
	// Waiting are how many it runs and how many are queued.
	Capacity, InUse, Waiting int
	// RunnerVersion is the lowest among its runners, "" when unknown.
	RunnerVersion string
	// Context is the longest prompt and answer together, 0 when unknown.
	Context Tokens
	// Operations are what its runners can do, for llm; nil means Chat only.
	Operations []Operation
	// Features are what else they can do and cannot, as far as known.
	Features Features
	// Prices are the lowest and the highest price of a unit, in wei, where it is offered to gateways; nil where
	// none is known.
	Prices *PriceRange
	// Devices are the GPUs it sits on.
	Devices []string
}

// Offered reports whether the node advertises the model: it is ready, or a job
// could have it started now.
func (s *ModelState) Offered() bool {
	switch s.State {
	case Ready:
		return true
	case Absent, Evicted, Pulling, Starting, Loading:
		return !s.Warm && !s.External
	}
	return false
}
