package broker

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// TestConditionsOfModels: a condition is set and cleared by how discoveries end, and there are
// not more than a bound, whatever models orchestrators say they have.
func TestConditionsOfModels(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	c := conditions{board: board}
	model := func(i int) inference.Model {
		return inference.Model{Capability: capability.LLM, ID: fmt.Sprint(i)}
	}
	down := func(i int) error { return fault.New(fault.ModelUnavailable, "", fmt.Sprint("model ", i)) }
	for i := range 10 * maxConditions {
		c.report(model(i), down(i))
	}
	if n := len(board.Snapshot()); n != maxConditions {
		t.Errorf("%d conditions, want %d", n, maxConditions)
	}
	c.report(model(0), fault.New(fault.NoOrchestratorReachable, "", ""))
	if !c.has(model(0)) {
		t.Error("a discovery without an answer ended the condition")
	}
	for i := range 10 * maxConditions {
		c.report(model(i), []error{nil, fault.New(fault.ModelUnknown, "", "")}[i%2])
	}
	if n := len(board.Snapshot()); n != 0 {
		t.Errorf("%d conditions are left", n)
	}
	(&conditions{}).report(model(0), down(0)) // without a board
}
