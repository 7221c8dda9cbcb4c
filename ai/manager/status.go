package manager

import (
	"errors"
	"slices"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// status is the state that one runner reports.
type status struct {
	state inference.State
	// failure is the reason for the state, or the last failure until the runner is ready again; nil
	// without a problem.
	failure error
	// warnings are problems of a ready runner that do not keep it from jobs.
	warnings []error
	lines    []string // the last lines of the runner's output
	progress string
	devices  []string
	info     backend.Info
}

// stateRank orders states by how soon a runner in them takes jobs, the soonest highest: a dormant runner
// can be started, a failed one waits for its retry.
func stateRank(s inference.State) int {
	return slices.Index([]inference.State{
		inference.Failed, inference.Absent, inference.Evicted, inference.Pulling,
		inference.Starting, inference.Loading, inference.Ready,
	}, s)
}

// starting reports whether the runner is on its way to ready.
func (s *status) starting() bool {
	switch s.state {
	case inference.Pulling, inference.Starting, inference.Loading:
		return true
	}
	return false
}

// dormant reports whether the runner is started by the next job.
func (s *status) dormant() bool {
	return s.state == inference.Absent || s.state == inference.Evicted
}

// conditions returns the runner's failure, else its warnings.
func (s *status) conditions() []error {
	if s.failure != nil {
		return []error{s.failure}
	}
	return s.warnings
}

// modelState derives a model's state from its runners. The runner with the highest stateRank decides. Model,
// Warm, External and Since stay zero.
func modelState(all []*runner) inference.ModelState {
	if len(all) == 0 {
		return inference.ModelState{}
	}
	best := &all[0].seen
	for _, r := range all[1:] {
		if stateRank(r.seen.state) > stateRank(best.state) {
			best = &r.seen
		}
	}
	out := inference.ModelState{State: best.state, Progress: best.progress}
	if best.state != inference.Ready && best.failure != nil {
		out.Reason = reason(best.failure)
		out.Code, out.LastLines = fault.CodeOf(best.failure), best.lines
	}
	first := true
	for _, r := range all {
		s := &r.seen
		out.Devices = append(out.Devices, s.devices...)
		if s.state != inference.Ready {
			continue
		}
		if first {
			out.RunnerVersion, out.Context, out.Operations = s.info.Version, s.info.Context, s.info.Operations
			out.Features = s.info.Features
			first = false
			continue
		}
		merge(&out, &s.info)
	}
	if first {
		out.Context, out.Features = configured(all)
	}
	slices.Sort(out.Devices)
	out.Devices = slices.Compact(out.Devices)
	return out
}

// configured returns what aiModels.json states about a model, for runners that are not ready yet.
func configured(all []*runner) (context inference.Tokens, features inference.Features) {
	for i, r := range all {
		var info backend.Info
		r.entry.complete(&info)
		if i == 0 {
			context, features = info.Context, info.Features
			continue
		}
		context, features = min(context, info.Context), features.Both(info.Features)
	}
	return context, features
}

// reason returns the public text of a failure: its detail, else the cause of its code.
func reason(why error) string {
	code, text := fault.Public(why)
	if f, ok := errors.AsType[*fault.Fault](why); ok && f.Detail != "" {
		return text
	}
	row, _ := fault.Lookup(fault.Code(code))
	return row.Cause
}

// merge takes the lower limits and common features, because a job may get either runner, and all
// operations of both, because a job goes to a runner that supports its operation.
func merge(out *inference.ModelState, info *backend.Info) {
	out.RunnerVersion = lower(out.RunnerVersion, info.Version)
	if info.Context > 0 && (out.Context == 0 || info.Context < out.Context) {
		out.Context = info.Context
	}
	out.Operations = inference.Either(out.Operations, info.Operations)
	out.Features = out.Features.Both(info.Features)
}

// lower returns the lower of two versions. One that is unknown, or no version, counts as lowest, in either place.
func lower(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	if capability.VersionOK(a, b) {
		return a
	}
	return b
}
