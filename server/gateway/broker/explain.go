package broker

import (
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
)

// Explain returns how a job would be placed, and when the model's orchestrators were last asked for their
// offers; the time is zero where they were not, and nothing is known. It sends nothing and changes nothing.
func (b *Broker) Explain(job *inference.Job, hint Hint) (choices []airouting.Choice, refreshed time.Time) {
	b.mu.Lock()
	p := b.pools[job.Model]
	b.mu.Unlock()
	if p == nil {
		return nil, time.Time{}
	}
	r := jobRun{b: b, p: p, job: job, hint: hint}
	_, refreshed, _ = p.discovery.last()
	return p.table.Explain(b.opt.Now(), r.query()), refreshed
}
