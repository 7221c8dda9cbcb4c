package worker_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// What one worker refuses the other one does, and it gets few jobs; what both refuse is refused.
func TestPairRefusals(t *testing.T) {
	no := func(context.Context, *inference.Job) (*inference.Reply, error) {
		return nil, fault.New(fault.OperationUnsupported, "run", "no")
	}
	for name, refuse := range map[string]func(context.Context, *inference.Job) (*inference.Reply, error){
		"a status": says(400, "application/json", `{"error":{"message":"no"}}`), "a fault": no,
	} {
		t.Run(name, func(t *testing.T) {
			p, addr := newPool(t)
			liar, good := newModels(llm("m"), 2), newModels(llm("m"), 2)
			newRig(t, "one", addr, liar)
			newRig(t, "two", addr, good)
			has(t, p, llm("m"), 4)
			if reply, _ := whole(t, p, chat(llm("m"), false)); reply.Worker == "two box" {
				liar, good = good, liar // an idle pool gives it all jobs
			}
			before := len(liar.seen())
			liar.run = refuse
			for i := range 40 {
				if reply, text := whole(t, p, chat(llm("m"), false)); reply.Status != 200 {
					t.Fatalf("job %d: %d %s", i, reply.Status, text)
				}
			}
			if n := len(liar.seen()) - before; n == 0 || n > 4 {
				t.Errorf("%d of 40 jobs went to the worker that refuses all", n)
			}
			good.run = refuse
			before = len(good.seen())
			reply, slot, err := do(t.Context(), p, chat(llm("m"), false))
			if !inference.IsRefusal(reply, err) || len(good.seen()) != before+1 {
				t.Errorf("%+v %v", reply, err)
			}
			if err == nil {
				_ = reply.Body.Close()
				slot.Release()
			}
			free(t, p, 0)
		})
	}
}
