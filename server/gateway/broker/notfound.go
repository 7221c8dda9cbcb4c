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

// noOrchestrator is the fault of a discovery without a usable orchestrator: none has the model,
// those that have it cannot run it or are full, or none can be reached. A model that was offered
// recently is not unknown: its runner may be loading again, or an orchestrator that does not answer
// has it.
func noOrchestrator(model inference.Model, recently bool, errs []error) error {
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
	case answered > 0 && !recently:
		f.Code = fault.ModelUnknown
	case answered > 0 && silent == 0:
		f.Code = fault.ModelWithdrawn
	}
	f.Detail = reasonText(f.Code, model, errs)
	if parts := tally(counts); parts != "" && f.Code != fault.ModelUnknown && f.Code != fault.ModelUnavailable {
		f.Detail += ": " + parts
	}
	return f
}

// reasonText explains to a client why there is no orchestrator for a model.
func reasonText(code fault.Code, model inference.Model, errs []error) string {
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

// maxNamed bounds the orchestrators named in a message.
const maxNamed = 3

// unavailable returns the orchestrators' reasons for not running a model.
func unavailable(errs []error) (texts []string) {
	for _, err := range errs {
		if err != nil && fault.CodeOf(err) == fault.ModelUnavailable && len(texts) < maxNamed {
			_, text := fault.Public(err)
			texts = append(texts, text)
		}
	}
	slices.Sort(texts) // a stable order keeps the condition unchanged
	return texts
}

// tally counts the orchestrators per code.
func tally(counts map[fault.Code]int) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s ×%d", code, counts[code]))
	}
	return strings.Join(parts, ", ")
}
