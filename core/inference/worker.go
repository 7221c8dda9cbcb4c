package inference

import "context"

// Worker runs AI jobs: local runners, or AI workers on other machines.
//
// Models is a snapshot of its models, in a stable order. It is cheap, because it is called for
// every offer.
//
// Reserve takes one of a model's slots, and starts a cold model. If none is free it waits in a
// bounded queue, fair among parties, until ctx ends; party identifies the client (a gateway's
// session). Errors are faults: ModelNotServed, ModelLineFull, ModelWaitOver, or the reason why the
// model cannot start. The end of ctx is Canceled or ModelWaitOver.
type Worker interface {
	Models() []ModelState
	Reserve(ctx context.Context, model Model, party string) (Slot, error)
}

// Slot is the right to run one job.
//
// Run sends the job to the runner and returns once the answer has begun; it is called at most once.
// ctx governs the whole answer, body included: when it ends, the runner is canceled at once. Errors
// are faults with public details.
//
// Release gives the slot back, after the answer's body was closed. It may be called again.
type Slot interface {
	Run(ctx context.Context, job *Job) (*Reply, error)
	Release()
}
