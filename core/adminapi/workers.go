package adminapi

import "time"

// The paths of the node's workers: its devices, and workers on other machines.
const (
	PathWorkers = Prefix + "/workers"
	// PathWorker takes a WorkerChange.
	PathWorker = Prefix + "/workers/state"
)

// Worker is a device of this machine, or a worker on another one.
type Worker struct {
	// Name is "cpu", "gpu 0", or what the worker's operator calls it.
	Name string `json:"name"`
	// Kind is "transcoder" or "ai".
	Kind string `json:"kind"`
	// Remote workers are on another machine, at Address; Node is the program that they
	// say they are, empty for those of the existing network.
	Remote  bool   `json:"remote"`
	Address string `json:"address"`
	Node    string `json:"node"`
	// State is "ready", "quarantined", "suspended" or "draining"; Code and Reason say
	// why it is not ready.
	State  string `json:"state"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Sessions it has and may have (0: as measured); Segments or jobs are in work now.
	Sessions int `json:"sessions"`
	Limit    int `json:"limit"`
	Segments int `json:"segments"`
	// Encoders are the hardware encoders in use, Memory the device memory in bytes that
	// its sessions are reckoned to use.
	Encoders int   `json:"encoders"`
	Memory   int64 `json:"memory"`
	// EncoderLimit is how many hardware encoders it may have open at once, 0 for no such
	// number. SessionMemory is the device memory in bytes that a session with one
	// rendition takes, and Cost the working time by playing time for each requested pixel
	// per second, as the start-up test measured them; 0 where it did not.
	EncoderLimit  int     `json:"encoderLimit"`
	SessionMemory int64   `json:"sessionMemory"`
	Cost          float64 `json:"cost"`
	// Ratio is working time by playing time, below 1 when faster than real time; 0
	// before the first segment.
	Ratio float64 `json:"ratio"`
	// Done and Failed count segments or jobs since the node started, also those of before
	// the worker came back.
	Done   int64     `json:"done"`
	Failed int64     `json:"failed"`
	Since  time.Time `json:"since"`
	// Models are what an AI worker serves.
	Models []string `json:"models"`
}

// Workers are all of a node's.
type Workers struct {
	Workers []Worker `json:"workers"`
}

// WorkerChange drains a worker, so that it finishes what it has and gets nothing new,
// or gives it work again.
type WorkerChange struct {
	Name  string `json:"name"`
	Drain bool   `json:"drain"`
}
