package modelroutes

import (
	"encoding/json"
	"slices"
)

// maxTargets bounds the models that one request may be sent to.
const maxTargets = 16

// Reason is why a target is asked.
type Reason string

// The reasons.
const (
	// Asked: the request names it, or an alias of it.
	Asked Reason = "asked"
	// Alternative: it is a further name of the request's own list.
	Alternative Reason = "alternative"
	// Fallback: the operator's file names it for a model that cannot answer.
	Fallback Reason = "fallback"
	// Longer: the operator's file names it for requests that are too long.
	Longer Reason = "longer"
)

// Target is a model that a request may be sent to.
type Target struct {
	// Name is the name of the request that the target stands for, and Model the model of the network.
	Name, Model string
	Reason      Reason
	// Parameters are fields that the request gets if it does not have them. They are read-only.
	Parameters map[string]json.RawMessage
}

// Targets lists the models for a request that names these models in order of preference, each model
// once and 16 at most.
func (t *Table) Targets(names ...string) []Target {
	var out []Target
	add := func(asked, name string, why Reason) {
		if len(out) == maxTargets {
			return
		}
		target := Target{Name: asked, Model: t.Model(name), Reason: why}
		if t != nil {
			target.Parameters = t.models[name].Parameters
		}
		if !slices.ContainsFunc(out, func(o Target) bool { return o.Model == target.Model }) {
			out = append(out, target)
		}
	}
	for i, name := range names {
		why := Asked
		if i > 0 {
			why = Alternative
		}
		add(name, name, why)
		if t == nil {
			continue
		}
		for _, longer := range t.models[name].Longer {
			add(name, longer, Longer)
		}
		for _, other := range t.models[name].Fallbacks {
			add(name, other, Fallback)
		}
	}
	return out
}

// Failure is how an attempt at a target ended without an answer.
type Failure int

// The failures.
const (
	// Final: another model would not help.
	Final Failure = iota
	// Unable: no orchestrator could answer with the model.
	Unable
	// TooLong: the request is too long for the model.
	TooLong
)

// Next returns the index of the target to ask after the one at index i failed, or -1. tooLong says
// that the request was too long for an earlier one.
func Next(targets []Target, i int, f Failure, tooLong bool) int {
	if f == Final {
		return -1
	}
	tooLong = tooLong || f == TooLong
	for j := i + 1; j < len(targets); j++ {
		switch targets[j].Reason {
		case Alternative:
			return j
		case Longer:
			if tooLong {
				return j
			}
		case Fallback:
			if !tooLong {
				return j
			}
		}
	}
	return -1
}
