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
// model, that those who may have it are full, or that nobody can be reached. A model
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
		case fault.OrchestratorUnusable, fault.OrchestratorBlocked, fault.OrchestratorCapped:
			answered++
		default:
			silent++
		}
	}
	f := &fault.Fault{Code: fault.NoOrchestratorReachable, Op: "find orchestrators", Err: errors.Join(errs...)}
	switch {
	case counts[fault.OrchestratorCapped] > 0:
		f.Code = fault.OrchestratorsFull
	case answered > 0 && !lately:
		f.Code = fault.ModelUnknown
	case answered > 0 && silent == 0:
		f.Code = fault.ModelWithdrawn
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s ×%d", code, counts[code]))
	}
	f.Detail = model.String()
	if len(parts) > 0 {
		f.Detail += ": " + strings.Join(parts, ", ")
	}
	return f
}
