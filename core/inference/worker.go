package inference

import "context"

// Worker runs AI jobs: local runners, or AI workers on other machines.
//
// Models is a snapshot of what it has, in a stable order. It is cheap: it is
// called for every offer.
//
// Reserve takes one of a model's slots, and starts a cold model. Where none is
// free it waits in a bounded line, fair among parties, until ctx ends; party is
// who asks (a gateway's session). Errors are faults: ModelNotServed,
// ModelLineFull, ModelWaitOver, or the reason why the model cannot start. What
// ctx ended is Canceled or ModelWaitOver.
type Worker interface {
	Models() []ModelState
	Reserve(ctx context.Context, model Model, party string) (Slot, error)
}

// Slot is the right to run one job.
//
// Run sends the job to the runner and returns once the answer has begun; it is
// called at most once. ctx governs the whole answer, body included: when it ends,
// the runner is told at once. Errors are faults whose detail is public.
//
// Release gives the slot back, after the answer's body was closed. It may be
// called again.
type Slot interface {
	Run(ctx context.Context, job *Job) (*Reply, error)
	Release()
}
