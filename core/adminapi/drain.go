package adminapi

import "time"

// The paths of shutting down: a node that takes no new work, and one that hands over to a
// newer program.
const (
	// PathDrain tells where a drain stands, and takes a DrainChange.
	PathDrain = Prefix + "/drain"
	// PathUpgrade starts the program on disk in this one's place.
	PathUpgrade = Prefix + "/upgrade"
)

// States of a drain.
const (
	DrainServing  = "serving"
	DrainDraining = "draining"
	DrainDrained  = "drained"
	DrainStopping = "stopping"
)

// Drain is where a drain stands.
type Drain struct {
	// State is DrainServing, DrainDraining, DrainDrained (nothing is left) or
	// DrainStopping.
	State string `json:"state"`
	// Sessions and Jobs remain: sessions of streams and live work, and AI jobs and requests in progress.
	Sessions int `json:"sessions"`
	Jobs     int `json:"jobs"`
	// Work is the same by kind, without kinds of which there is none.
	Work []DrainWork `json:"work"`
	// Deadline is when what is left is cut off; null where there is no drain, or none
	// with an end.
	Deadline *time.Time `json:"deadline"`
	// Stop says that the node ends after the drain.
	Stop bool `json:"stop"`
}

// DrainWork is one kind of work that a drain waits for.
type DrainWork struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// DrainChange begins a drain, or undoes it.
type DrainChange struct {
	// Cancel takes new work again.
	Cancel bool `json:"cancel,omitempty"`
	// DeadlineSeconds is how long sessions may go on; 0 is without end, and with Stop
	// the node's -drainTimeout.
	DeadlineSeconds int `json:"deadlineSeconds,omitempty"`
	// Stop ends the node when nothing is left, or at the deadline.
	Stop bool `json:"stop,omitempty"`
}

// Upgrade is what came of asking for one: the process that takes over has begun. What
// becomes of it is in its log, and a condition where it fails.
type Upgrade struct {
	// PID is the new process, Binary its program.
	PID    int    `json:"pid"`
	Binary string `json:"binary"`
}
