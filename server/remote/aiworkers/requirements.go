package aiworkers

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// wanted is what a job asks of the worker that it is given to.
type requirements struct {
	op inference.Operation
	// whole says that the network's form has no words for some of it, so that one of our
	// own workers does it better.
	whole bool
}

// wanted looks into a job's request only where there is a choice between our own workers
// and others: requests may be large.
func (p *Pool) requirementsOf(m *model, job *inference.Job) requirements {
	want := requirements{op: job.Operation}
	if job.Model.Capability == capability.LLM && p.mixed(m) {
		r, err := pipeline.Decode(job.Model.Capability, job.Operation, job.ContentType, job.Body)
		want.whole = err == nil && !r.Plain
	}
	return want
}

// mixed reports whether both kinds of workers have a model.
func (p *Pool) mixed(m *model) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own, others := false, false
	for _, e := range m.entries {
		own, others = own || e.w.isTutti(), others || !e.w.isTutti()
	}
	return own && others
}
