package aiapi

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// TestOneOrchestratorsAnswersLeaveMemory: the answers of one orchestrator take at most two
// thirds of the memory, and give it back.
func TestOneOrchestratorsAnswersLeaveMemory(t *testing.T) {
	t.Parallel()
	b := newBudget(1 << 30)
	const piece = 32 << 20
	var held int64
	for {
		err := b.lend("a", piece, 0)
		if err != nil {
			if !errors.Is(err, fault.OrchestratorOverShare) {
				t.Error(err)
			}
			break
		}
		held += piece
	}
	if held > b.limit*2/3+piece || held < b.limit/2 {
		t.Errorf("one holds %d of %d", held, b.limit)
	}
	if err := b.lend("b", piece, 0); err != nil {
		t.Errorf("another: %v", err)
	}
	b.endLoan("a", held)
	b.endLoan("b", piece)
	b.give(held + piece)
	if b.used != 0 || len(b.lent) != 0 {
		t.Errorf("%d in use, %v", b.used, b.lent)
	}
}
