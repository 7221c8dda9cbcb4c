package aiworkers

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// requirements are what a job needs of its worker.
type requirements struct {
	op inference.Operation
	// whole: the network's form cannot express all of the request, so that a tutti worker is
	// preferred.
	whole bool
}

// requirementsOf parses a job's request only when both tutti workers and others have the
// model: requests may be large.
func (p *Pool) requirementsOf(m *model, job *inference.Job) requirements {
	want := requirements{op: job.Operation}
	if job.Model.Capability == capability.LLM && p.mixed(m) {
		r, err := pipeline.Decode(job.Model.Capability, job.Operation, job.ContentType, job.Body)
		want.whole = err == nil && !r.Plain
	}
	return want
}

// mixed reports whether both tutti workers and others have a model.
func (p *Pool) mixed(m *model) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own, others := false, false
	for _, e := range m.entries {
		own, others = own || e.w.isTutti(), others || !e.w.isTutti()
	}
	return own && others
}
