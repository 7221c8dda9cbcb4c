package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// failWith plays a worker that is alive and answers every job with a failure, until the node ends it.
func (i *impostor) failWith(code fault.Code) {
	text := worker.EncodeError(fault.New(code, "transcode", ""))
	for {
		h, err := i.Next()
		if err != nil {
			return
		}
		if _, err = i.Message(h); err != nil {
			return
		}
		switch h.Type {
		case worker.TypePing:
			err = i.Send(worker.TypePong, h.ID, nil)
		case worker.TypeJob:
			err = i.Send(worker.TypeError, h.ID, text)
		}
		if err != nil {
			return
		}
	}
}

// TestFailuresThatAreNotAWorkersToReport: a worker that was taken over says of honest streams what its
// node alone can know: that they ended it or are refused, that the node is full, or that a gateway has
// not paid. The node ends it by name at the first such word, and the streams lose no segment.
func TestFailuresThatAreNotAWorkersToReport(t *testing.T) {
	for _, code := range []fault.Code{fault.WorkerCrashed, fault.SegmentRefused, fault.OrchestratorCapped,
		fault.InsufficientBalance} {
		t.Run(string(code), func(t *testing.T) {
			node, addr := orchestrator(t)
			gw, data := gateway(t, addr), segment(t)
			if _, err := push(gw, "before", data); err != nil {
				t.Fatal(err)
			}
			go takeOver(t, node).failWith(code)
			for n := range 6 {
				name := fmt.Sprintf("%d.ts", n)
				if _, err := harness.Push(gw, fmt.Sprint("honest", n%2), name, data, time.Second); err != nil {
					t.Errorf("honest segment %d: %v", n, err)
				}
			}
			if protocol(node) != 1 {
				t.Errorf("%d workers were ended for what they sent, want 1", protocol(node))
			}
		})
	}
}
