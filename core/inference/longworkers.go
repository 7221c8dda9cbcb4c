package inference

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
)

// LongWorkers are workers whose slots are LongSlots. Unlike a Fleet they move no job that has begun.
type LongWorkers []Worker

// Full reports whether a model's slots are all in use. A model that no worker has is not full.
func (ws LongWorkers) Full(model Model) bool {
	full := false
	for _, w := range ws {
		switch s, known := stateOf(w, model); {
		case !known:
		case s.State != Ready || s.InUse < s.Capacity:
			return false
		default:
			full = true
		}
	}
	return full
}

// Reserve takes a slot of a worker that has the model, of one with a free slot if there is any.
func (ws LongWorkers) Reserve(ctx context.Context, model Model, party string) (LongSlot, error) {
	var last error
	for _, free := range []bool{true, false} {
		for _, w := range ws {
			if s, known := stateOf(w, model); !known || free != (s.State == Ready && s.InUse < s.Capacity) {
				continue
			}
			slot, err := w.Reserve(ctx, model, party)
			if err != nil {
				last = err
				continue
			}
			if long, ok := slot.(LongSlot); ok {
				return long, nil
			}
			slot.Release()
		}
	}
	if last == nil {
		last = fault.New(fault.ModelNotServed, "reserve a live runner", model.String())
	}
	return nil, last
}

func stateOf(w Worker, model Model) (s ModelState, known bool) {
	for _, s := range w.Models() {
		if s.Model == model {
			return s, true
		}
	}
	return s, false
}
