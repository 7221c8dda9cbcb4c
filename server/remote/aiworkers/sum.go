package aiworkers

import (
	"slices"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// rank orders states by how near they are to taking jobs.
var rank = map[inference.State]int{
	inference.Ready: 8, inference.Loading: 7, inference.Starting: 6, inference.Pulling: 5,
	inference.Evicted: 4, inference.Absent: 3, inference.Failed: 2, inference.Draining: 1,
}

// sum makes a model's state of what its workers say: that of the worker which is
// nearest to taking jobs. Figures are not its matter.
func sum(entries []*entry) inference.ModelState {
	best := entries[0]
	out := inference.ModelState{External: true}
	for _, e := range entries {
		if rank[e.said.State] > rank[best.said.State] {
			best = e
		}
		out.Warm = out.Warm || e.said.Warm
		out.External = out.External && e.said.External
		out.Devices = append(out.Devices, e.said.Devices...)
	}
	slices.Sort(out.Devices)
	out.Devices = slices.Compact(out.Devices)
	s := &best.said
	out.State, out.Code, out.Reason = s.State, s.Code, s.Reason
	out.RunnerVersion, out.Context, out.Operations = s.RunnerVersion, s.Context, s.Operations
	for _, e := range entries {
		if e != best && e.said.State == inference.Ready && s.State == inference.Ready {
			agree(&out, &e.said)
		}
	}
	return out
}

// agree keeps what holds wherever a job gets to, and all operations: jobs go to the
// workers that can do them.
func agree(out, other *inference.ModelState) {
	switch {
	case out.RunnerVersion == "" || other.RunnerVersion == "":
		out.RunnerVersion = ""
	case !capability.VersionOK(out.RunnerVersion, other.RunnerVersion):
		out.RunnerVersion = other.RunnerVersion
	}
	if other.Context > 0 && (out.Context == 0 || other.Context < out.Context) {
		out.Context = other.Context
	}
	if out.Operations == nil && other.Operations == nil {
		return
	}
	all := slices.Clone(out.Operations)
	if all == nil {
		all = []inference.Operation{inference.Chat}
	}
	more := other.Operations
	if more == nil {
		more = []inference.Operation{inference.Chat}
	}
	for _, op := range more {
		if !slices.Contains(all, op) {
			all = append(all, op)
		}
	}
	out.Operations = all
}
