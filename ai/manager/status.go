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
	// why is the reason for the state, or for the last failure until it is ready again;
	// nil without a problem.
	why error
	// concerns are warnings about a ready runner.
	concerns []error
	lines    []string
	progress string
	devices  []string
	info     backend.Info
}

// stateRank orders states by how soon they take jobs: a dormant runner can be started, a
// failed one waits for its retry.
func stateRank(s inference.State) int {
	return slices.Index([]inference.State{
		inference.Failed, inference.Absent, inference.Evicted, inference.Pulling,
		inference.Starting, inference.Loading, inference.Ready,
	}, s)
}

// starting reports whether it will take jobs soon.
func (s *status) starting() bool {
	switch s.state {
	case inference.Pulling, inference.Starting, inference.Loading:
		return true
	}
	return false
}

// dormant reports whether it waits for a job to start it.
func (s *status) dormant() bool {
	return s.state == inference.Absent || s.state == inference.Evicted
}

// shown returns the conditions of the runner: its failure, else its concerns.
func (s *status) shown() []error {
	if s.why != nil {
		return []error{s.why}
	}
	return s.concerns
}

// sum derives a model's state from its runners: that of the highest stateRank. It leaves
// Model, Warm, External and Since zero.
func sum(all []*runner) inference.ModelState {
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
	if best.state != inference.Ready && best.why != nil {
		out.Reason = reason(best.why)
		out.Code, out.LastLines = fault.CodeOf(best.why), best.lines
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
			first = false
			continue
		}
		merge(&out, &s.info)
	}
	slices.Sort(out.Devices)
	out.Devices = slices.Compact(out.Devices)
	return out
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

// merge keeps limits that hold for both runners, as a job may get either, and the
// operations of both, as jobs go to the runners that support them.
func merge(out *inference.ModelState, info *backend.Info) {
	out.RunnerVersion = lower(out.RunnerVersion, info.Version)
	if info.Context > 0 && (out.Context == 0 || info.Context < out.Context) {
		out.Context = info.Context
	}
	out.Operations = inference.Either(out.Operations, info.Operations)
}

// lower returns the lower of two versions; an invalid version counts as lowest.
func lower(a, b string) string {
	if capability.VersionOK(a, b) && a != "" {
		return a
	}
	return b
}
