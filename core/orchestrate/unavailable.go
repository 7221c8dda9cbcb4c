package orchestrate

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Unavailable returns the code of why the single model that a gateway wants is not offered
// although this node has it. It is "" for an offered model, for one that this node does not
// have, and where several are wanted.
func (o *Orchestrator) Unavailable(wanted *capability.Capabilities) fault.Code {
	model, ok := onlyModel(wanted)
	if !ok {
		return ""
	}
	states := o.Models()
	for i := range states {
		s := &states[i]
		switch {
		case s.Model != model:
		case s.Offered():
			return ""
		case s.Code == "":
			return fault.ModelNotReady
		default:
			return s.Code
		}
	}
	return ""
}

// onlyModel returns the wanted model if there is exactly one.
func onlyModel(wanted *capability.Capabilities) (model inference.Model, ok bool) {
	if wanted == nil {
		return model, false
	}
	for id, models := range wanted.Constraints.PerCapability {
		for name := range models {
			if ok {
				return inference.Model{}, false
			}
			model, ok = inference.Model{Capability: id, ID: name}, true
		}
	}
	return model, ok
}
