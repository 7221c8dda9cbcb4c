package transcoders

import (
	"cmp"
	"slices"
	"time"
)

// Worker is a registered transcoder, for the operator.
type Worker struct {
	Name string `json:"name"`
	// Node is the release of a tutti worker, Version the version that it states.
	Node    string `json:"node,omitempty"`
	Version string `json:"version,omitempty"`
	Addr    string `json:"addr"`
	// Sessions is how many it takes, Segments how many it works on now.
	Sessions int            `json:"sessions"`
	Segments int            `json:"segments"`
	Draining bool           `json:"draining,omitempty"`
	Since    time.Time      `json:"since"`
	Devices  []WorkerDevice `json:"devices,omitempty"`
}

// WorkerDevice is a device that a tutti worker reports.
type WorkerDevice struct {
	Device   string `json:"device"`
	Kind     string `json:"kind,omitempty"`
	Sessions int    `json:"sessions"`
	Limit    int    `json:"limit,omitempty"`
}

// Workers returns the registered transcoders, by name.
func (s *Service) Workers() []Worker {
	s.mu.Lock()
	out := make([]Worker, 0, len(s.workers))
	for w := range s.workers {
		out = append(out, w.status())
	}
	s.mu.Unlock()
	slices.SortFunc(out, func(a, b Worker) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (w *worker) status() Worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Worker{
		Name: w.name, Node: w.id.Node, Version: w.state.offer.Capabilities.Version, Addr: w.id.Addr,
		Sessions: w.state.offer.Sessions, Segments: w.tasks, Draining: w.state.draining, Since: w.since,
		Devices: slices.Clone(w.state.devices),
	}
}
