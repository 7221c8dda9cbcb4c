package aiapi

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// largeBody is the size from which the long values of a request go into a file.
const largeBody = 4 << 20

// spools reports whether long values of the request's body, of size bytes or -1, go into a file. In memory,
// within its budget, are bodies of requests whose keys are not checked yet, those that another API's
// request was mapped to, and all where there are guards, which see whole requests.
func (x *relayedRequest) spools(size int64) bool {
	_, mapped := x.r.Body.(metered)
	return x.server.opt.Spools != nil && x.route.capability == capability.LLM && x.route.operation.Generates() &&
		(size < 0 || size > largeBody) && !mapped && x.unverified == "" && x.guards.Guards == nil
}

// readLong reads a large body: what no rule looks at goes into a file.
func (x *relayedRequest) readLong(limit, size int64) ([]byte, error) {
	b, long, err := pipeline.ReadLong(x.r.Body, pipeline.LongOptions{
		Limit: limit, Size: size, Secret: x.server.opt.Spools.Secret(), Grow: x.grow,
		Open: func() (pipeline.Spool, error) { return x.server.opt.Spools.Open() },
	})
	x.long = long
	return b, err
}

// withLong adds the values in the file to a job.
func (x *relayedRequest) withLong(job *inference.Job) *inference.Job {
	if x.long.Spooled() > 0 {
		job.Long = x.long
	}
	return job
}
