package orchestrate

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const opReserve = "reserve slot"

// mayReserve reports why a slot of the model cannot be reserved now. A model that must be
// loaded first is never full.
func (o *Orchestrator) mayReserve(model inference.Model) error {
	if o.Draining() {
		return fault.New(fault.JobsDraining, opReserve, "")
	}
	s, known := o.state(model)
	switch {
	case !known || isUnloaded(&s):
		return nil
	case s.State == inference.Failed || s.State == inference.Draining:
		return fault.New(fault.ModelNotReady, opReserve, "")
	case s.InUse >= s.Capacity || s.Waiting > 0:
		return fault.New(fault.ModelWaitOver, opReserve, "")
	}
	return nil
}

// waitForSlot registers the job as in progress and takes a slot for it.
func (j *Job) waitForSlot(ctx context.Context) error {
	o := j.o
	waiting, cancelWait := context.WithCancelCause(ctx)
	defer cancelWait(nil)
	j.cancelWait = cancelWait
	o.mu.Lock()
	if o.phase != open {
		o.mu.Unlock()
		return fault.New(fault.JobsDraining, opReserve, "")
	}
	o.jobs[j] = struct{}{}
	o.mu.Unlock()

	start := o.opt.Now()
	slot, err := j.reserve(waiting)
	j.Queue = o.opt.Now().Sub(start)
	if err == nil {
		j.slot = slot
		return nil
	}
	return j.noSlot(opReserve, err, context.Cause(waiting))
}

// reserve waits for a slot. For a loaded model it waits only as long as the gateway still
// has time to try another orchestrator; for a model that is loading, as long as ctx.
func (j *Job) reserve(ctx context.Context) (inference.Slot, error) {
	model := j.req.Request.Model
	if j.o.loaded(model) {
		wait := j.o.opt.JobWait
		if j.req.Own {
			wait = j.o.opt.NodeWait
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	return j.o.opt.Worker.Reserve(ctx, model, j.party())
}

// party shares the slots fairly. It is not the session, because tokens are free.
func (j *Job) party() string { return j.o.party(&j.req.Credentials) }

// loaded reports whether the model is loaded.
func (o *Orchestrator) loaded(model inference.Model) bool {
	s, known := o.state(model)
	return !known || !isUnloaded(&s)
}

// state returns the present state of a model.
func (o *Orchestrator) state(model inference.Model) (inference.ModelState, bool) {
	states := o.opt.Worker.Models()
	for i := range states {
		if states[i].Model == model {
			return states[i], true
		}
	}
	return inference.ModelState{}, false
}

// isUnloaded reports whether a job would start the model. A model with slots takes jobs
// whatever its state: workers of the existing network do not report what they have loaded.
func isUnloaded(s *inference.ModelState) bool {
	if s.Capacity > 0 {
		return false
	}
	switch s.State {
	case inference.Absent, inference.Evicted, inference.Pulling, inference.Starting, inference.Loading:
		return true
	}
	return false
}

// noSlot is the fault for a Reserve that failed. Except for the request's own end, every
// fault makes the gateway try another orchestrator.
func (j *Job) noSlot(op string, err, cause error) error {
	code := fault.CodeOf(err)
	switch {
	case errors.Is(cause, errDraining):
		return fault.New(fault.JobsDraining, op, "")
	case cause != nil:
		return fault.Wrap(fault.CodeOf(cause), op, cause)
	case code == fault.Canceled || code == fault.DeadlineExceeded:
		return fault.Wrap(fault.ModelWaitOver, op, err)
	case code.Class() == fault.Busy:
		return err
	}
	return fault.Wrap(fault.ModelNotReady, op, err)
}
