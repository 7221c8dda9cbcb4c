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

// LongSlot is a Slot whose runner works on after its answer, as live video does: the slot is held until
// the answer's body is closed. The methods are for after Run.
//
// Lost is closed when the runner has failed: it ended, reports an error or does not answer probes. Its
// work is lost then, also if it comes back.
//
// Recheck has the runner probed at once, because its work seems to have stopped.
//
// AwaitIdle waits until a runner that reports when it is idle does so, is lost, or ctx ends.
type LongSlot interface {
	Slot
	Lost() <-chan struct{}
	Recheck()
	AwaitIdle(ctx context.Context)
}

// RemoteSlot is a LongSlot of workers on other machines. After an error of Run for which CanRetry is true,
// Run may be called again, and asks another worker. Blame says why a session ended that its worker did not do.
type RemoteSlot interface {
	LongSlot
	CanRetry(err error) bool
	Blame(why string)
}
