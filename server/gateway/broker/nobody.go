package broker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// nobody is the fault of a discovery that found nobody: that no orchestrator has the
// model, that those that have it cannot run it or are full, or that nobody can be reached. A model
// that was there lately is not unknown: its runner is loading again, or one of
// those who do not answer has it.
func nobody(model inference.Model, lately bool, errs []error) error {
	counts := map[fault.Code]int{}
	silent, answered := 0, 0
	for _, err := range errs {
		if err == nil {
			continue
		}
		code := fault.CodeOf(err)
		counts[code]++
		switch code {
		case fault.OrchestratorUnusable, fault.OrchestratorBlocked, fault.OrchestratorCapped, fault.ModelUnavailable:
			answered++
		default:
			silent++
		}
	}
	f := &fault.Fault{Code: fault.NoOrchestratorReachable, Op: "find orchestrators", Err: errors.Join(errs...)}
	switch {
	case counts[fault.OrchestratorCapped] > 0:
		f.Code = fault.OrchestratorsFull
	case counts[fault.ModelUnavailable] > 0:
		f.Code = fault.ModelUnavailable
	case answered > 0 && !lately:
		f.Code = fault.ModelUnknown
	case answered > 0 && silent == 0:
		f.Code = fault.ModelWithdrawn
	}
	f.Detail = missing(f.Code, model, errs)
	if parts := tally(counts); parts != "" && f.Code != fault.ModelUnknown && f.Code != fault.ModelUnavailable {
		f.Detail += ": " + parts
	}
	return f
}

// missing says for a client why there is no orchestrator for a model.
func missing(code fault.Code, model inference.Model, errs []error) string {
	name := fmt.Sprintf("the model %.256q (%s)", model.ID, model.Capability.Pipeline())
	switch code {
	case fault.ModelUnknown:
		return "no orchestrator offers " + name
	case fault.ModelUnavailable:
		return name + ": " + strings.Join(unavailable(errs), "; ")
	case fault.ModelWithdrawn:
		return "the orchestrators that offered " + name + " a moment ago do not offer it now"
	case fault.OrchestratorsFull:
		return "every orchestrator that may have " + name + " is full"
	}
	return "no orchestrator that may have " + name + " can be reached"
}

// maxNamed bounds the orchestrators that a message names.
const maxNamed = 3

// unavailable is what orchestrators say of a model that they cannot run.
func unavailable(errs []error) (texts []string) {
	for _, err := range errs {
		if err != nil && fault.CodeOf(err) == fault.ModelUnavailable && len(texts) < maxNamed {
			_, text := fault.Public(err)
			texts = append(texts, text)
		}
	}
	slices.Sort(texts) // the same text again is no change of a condition
	return texts
}

// tally is how many orchestrators gave which code.
func tally(counts map[fault.Code]int) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s ×%d", code, counts[code]))
	}
	return strings.Join(parts, ", ")
}
