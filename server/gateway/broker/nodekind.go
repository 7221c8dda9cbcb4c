package broker

import (
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// kindFor returns the kind of node that a job needs.
func kindFor(job *inference.Job, hint *Hint) airouting.Kind {
	switch {
	case job.Model.Capability == capability.LLM && job.Operation != inference.Chat,
		job.Operation == inference.Translation:
		return airouting.OwnOnly
	case hint.NeedsOwnNode:
		return airouting.OwnFirst
	}
	return airouting.AnyKind
}
