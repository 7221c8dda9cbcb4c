package inference_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// longWorker is a worker with one model. Its slots hold nothing.
type longWorker struct {
	state inference.ModelState
	took  int
	fault error
}

func (w *longWorker) Models() []inference.ModelState { return []inference.ModelState{w.state} }

func (w *longWorker) Reserve(context.Context, inference.Model, string) (inference.Slot, error) {
	if w.fault != nil {
		return nil, w.fault
	}
	w.took++
	return longSlot{}, nil
}

type longSlot struct{}

func (longSlot) Run(context.Context, *inference.Job) (*inference.Reply, error) { return nil, nil }
func (longSlot) Release()                                                      {}
func (longSlot) Lost() <-chan struct{}                                         { return nil }
func (longSlot) Recheck()                                                      {}
func (longSlot) AwaitIdle(context.Context)                                     {}

// A session goes to a worker with a free slot, then to one that may soon have one; a model is full when it is
// on all workers that have it.
func TestLongWorkers(t *testing.T) {
	t.Parallel()
	video := inference.Model{Capability: capability.LiveVideoToVideo, ID: "m"}
	of := func(m inference.Model, used int) *longWorker {
		return &longWorker{state: inference.ModelState{Model: m, State: inference.Ready, Capacity: 1, InUse: used}}
	}
	other := of(inference.Model{Capability: capability.LiveVideoToVideo, ID: "x"}, 0)
	full, free := of(video, 1), of(video, 0)
	ws := inference.LongWorkers{other, full, free}
	if ws.Full(video) || !ws[:2].Full(video) || ws[:1].Full(video) {
		t.Error("full:", ws.Full(video), ws[:2].Full(video), ws[:1].Full(video))
	}
	if _, err := ws.Reserve(t.Context(), video, "p"); err != nil || free.took != 1 || full.took != 0 {
		t.Error(err, free.took, full.took)
	}
	free.fault = fault.New(fault.ModelNotReady, "", "")
	if _, err := ws.Reserve(t.Context(), video, "p"); err != nil || full.took != 1 {
		t.Error(err, full.took)
	}
	if _, err := ws[:1].Reserve(t.Context(), video, "p"); fault.CodeOf(err) != fault.ModelNotServed {
		t.Error(err)
	}
	if other.took != 0 {
		t.Error("a worker without the model was asked")
	}
}
