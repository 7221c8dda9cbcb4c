package aiworkers

import (
	"slices"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// stateOrder orders states by how close they are to accepting jobs. Read-only.
var stateOrder = map[inference.State]int{
	inference.Ready: 8, inference.Loading: 7, inference.Starting: 6, inference.Pulling: 5,
	inference.Evicted: 4, inference.Absent: 3, inference.Failed: 2, inference.Draining: 1,
}

// mergeStates returns a model's state over its workers: that of the worker closest to accepting
// jobs. It does not set counts.
func mergeStates(entries []*entry) inference.ModelState {
	best := entries[0]
	out, held := best.state(), []string(nil)
	for _, e := range entries {
		if s := e.state(); nearer(e, &s, best, &out) {
			best, out = e, s
		}
		held = append(held, e.reported.Devices...)
	}
	slices.Sort(held)
	out.Devices = slices.Compact(held)
	for _, e := range entries {
		if s := e.state(); e != best && s.State == inference.Ready && out.State == inference.Ready {
			narrow(&out, &s)
		}
	}
	return out
}

// nearer reports whether a model is closer to accepting jobs at one worker than at another.
// An offered model comes before one that is not offered, whatever their states.
func nearer(a *entry, as *inference.ModelState, b *entry, bs *inference.ModelState) bool {
	if a.w.disconnected != b.w.disconnected {
		return b.w.disconnected
	}
	if x, y := as.Offered(), bs.Offered(); x != y {
		return x
	}
	return stateOrder[as.State] > stateOrder[bs.State]
}

// narrow keeps what holds on all workers, and the union of the operations: jobs go to
// workers that support them.
func narrow(out, other *inference.ModelState) {
	switch {
	case out.RunnerVersion == "" || other.RunnerVersion == "":
		out.RunnerVersion = ""
	case !capability.VersionOK(out.RunnerVersion, other.RunnerVersion):
		out.RunnerVersion = other.RunnerVersion
	}
	if other.Context > 0 && (out.Context == 0 || other.Context < out.Context) {
		out.Context = other.Context
	}
	out.Operations = inference.Either(out.Operations, other.Operations)
	out.Features = out.Features.Both(other.Features)
}
