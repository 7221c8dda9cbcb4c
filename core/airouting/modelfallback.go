package airouting

import (
	"encoding/json"
	"slices"
)

// maxTargets bounds the models that one request may be sent to.
const maxTargets = 16

// TargetReason is why a target gets the request.
type TargetReason string

// The reasons.
const (
	// TargetAsked: the request names it, or an alias of it.
	TargetAsked TargetReason = "asked"
	// TargetAlternative: it is a further name of the request's own list.
	TargetAlternative TargetReason = "alternative"
	// TargetFallback: the operator's file names it for a model that cannot answer.
	TargetFallback TargetReason = "fallback"
	// TargetLonger: the operator's file names it for requests that are too long.
	TargetLonger TargetReason = "longer"
)

// ModelTarget is a model that a request may be sent to.
type ModelTarget struct {
	// Name is the name of the request that the target stands for, and Model the model of the network.
	Name, Model string
	Reason      TargetReason
	// Parameters are fields that the request gets if it does not have them. They are read-only.
	Parameters map[string]json.RawMessage
}

// Targets lists the models for a request that names these models in order of preference, each model
// once and 16 at most.
func (t *ModelRoutes) Targets(names ...string) []ModelTarget {
	var out []ModelTarget
	add := func(asked, name string, why TargetReason) {
		if len(out) == maxTargets {
			return
		}
		target := ModelTarget{Name: asked, Model: t.Model(name), Reason: why}
		if t != nil {
			target.Parameters = t.models[name].Parameters
		}
		if !slices.ContainsFunc(out, func(o ModelTarget) bool { return o.Model == target.Model }) {
			out = append(out, target)
		}
	}
	for i, name := range names {
		why := TargetAsked
		if i > 0 {
			why = TargetAlternative
		}
		add(name, name, why)
		if t == nil {
			continue
		}
		for _, longer := range t.models[name].Longer {
			add(name, longer, TargetLonger)
		}
		for _, other := range t.models[name].Fallbacks {
			add(name, other, TargetFallback)
		}
	}
	return out
}

// TargetFailure is how an attempt at a target ended without an answer.
type TargetFailure int

// The failures.
const (
	// FailureFinal: another model would not help.
	FailureFinal TargetFailure = iota
	// FailureUnable: no orchestrator could answer with the model.
	FailureUnable
	// FailureTooLong: the request is too long for the model.
	FailureTooLong
)

// NextTarget returns the index of the target to ask after the one at index i failed, or -1. tooLong says
// that the request was too long for an earlier one.
func NextTarget(targets []ModelTarget, i int, f TargetFailure, tooLong bool) int {
	if f == FailureFinal {
		return -1
	}
	tooLong = tooLong || f == FailureTooLong
	for j := i + 1; j < len(targets); j++ {
		switch targets[j].Reason {
		case TargetAlternative:
			return j
		case TargetLonger:
			if tooLong {
				return j
			}
		case TargetFallback:
			if !tooLong {
				return j
			}
		}
	}
	return -1
}
