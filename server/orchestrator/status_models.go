package orchestrator

import (
	"cmp"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// ModelStatus is one model of an AI pipeline.
type ModelStatus struct {
	Pipeline string `json:"pipeline"`
	Model    string `json:"model"`
	Warm     bool   `json:"warm"`
	Capacity int    `json:"capacity"`
	Use      string `json:"use"`
	// State and the following fields are for the node's own models only.
	State string `json:"state,omitempty"`
	// Since is when the state began, in UTC.
	Since string `json:"since,omitempty"`
	// Code and Reason explain why it is not ready, with the text of the fault table: details
	// are only in the operator's log.
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Waiting string `json:"waiting,omitempty"`
	// External: the node does not start its runner.
	External      bool   `json:"external,omitempty"`
	RunnerVersion string `json:"runner_version,omitempty"`
	// Context is the longest prompt and answer together, in tokens.
	Context int64 `json:"context,omitempty"`
	// Features are what a model of llm has, Lacks what it lacks, as far as known.
	Features []string `json:"features,omitempty"`
	Lacks    []string `json:"lacks,omitempty"`
}

// modelStatuses lists the offered models, and the node's models that are currently not
// offered.
func modelStatuses(offer *capability.Capabilities, states []inference.ModelState) []ModelStatus {
	byModel := make(map[inference.Model]*inference.ModelState, len(states))
	for i := range states {
		byModel[states[i].Model] = &states[i]
	}
	all := make(map[inference.Model]ModelStatus, len(states))
	for id, models := range offer.Constraints.PerCapability {
		for name, m := range models {
			all[inference.Model{Capability: id, ID: name}] = ModelStatus{
				Warm: m.Warm, Capacity: int(m.Capacity), Use: useLevel(int(m.InUse), int(m.Capacity)),
			}
		}
	}
	for m, s := range byModel {
		st, offered := all[m]
		if !offered {
			st.Capacity, st.Use = s.Capacity, useLevel(s.InUse, s.Capacity)
		}
		describe(&st, s)
		all[m] = st
	}
	out := make([]ModelStatus, 0, len(all))
	order := make([]inference.Model, 0, len(all))
	for m := range all {
		order = append(order, m)
	}
	slices.SortFunc(order, func(a, b inference.Model) int {
		return cmp.Or(cmp.Compare(a.Capability, b.Capability), cmp.Compare(a.ID, b.ID))
	})
	for _, m := range order {
		st := all[m]
		st.Pipeline, st.Model = m.Capability.Pipeline(), m.ID
		out = append(out, st)
	}
	return out
}

// describe adds the state of the node's own model.
func describe(st *ModelStatus, s *inference.ModelState) {
	st.State, st.External = string(s.State), s.External
	st.RunnerVersion, st.Context = s.RunnerVersion, int64(s.Context)
	st.Features, st.Lacks = s.Features.Has.Words(), s.Features.Lacks.Words()
	st.Waiting = queueLevel(s.Waiting, st.Capacity)
	if !s.Since.IsZero() {
		st.Since = s.Since.UTC().Format(time.RFC3339)
	}
	if s.Code == "" {
		return
	}
	st.Code = string(s.Code)
	if row, known := fault.Lookup(s.Code); known {
		st.Reason = row.Cause
	}
}

// queueLevel returns a number of waiting jobs in three levels.
func queueLevel(waiting, capacity int) string {
	switch {
	case waiting <= 0:
		return "none"
	case waiting <= max(1, capacity):
		return "few"
	}
	return "many"
}
