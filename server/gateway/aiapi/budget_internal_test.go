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

// TestUnverifiedRequestsLeaveMemory: requests whose keys are not checked yet hold at most half of
// the memory, those of one address a quarter, until they are checked.
func TestUnverifiedRequestsLeaveMemory(t *testing.T) {
	t.Parallel()
	const limit, piece = 1 << 30, 1 << 20
	b := newBudget(limit)
	held := map[string]int64{}
	for _, who := range []string{"a", "b", "c", "d"} {
		for b.trust(who, piece) == nil {
			held[who] += piece
		}
	}
	if held["a"] != limit/4 || held["b"] != limit/8 || b.unproven > limit/2 {
		t.Errorf("strangers hold %v", held)
	}
	b.prove("a", held["a"])
	if err := b.trust("e", limit/16); err != nil {
		t.Errorf("once a key is judged: %v", err)
	}
	if err := b.take(limit / 4); err != nil {
		t.Errorf("for others: %v", err)
	}
	b.prove("e", limit/16)
	for _, who := range []string{"b", "c", "d"} {
		b.prove(who, held[who])
	}
	if b.unproven != 0 || len(b.strangers) != 0 {
		t.Errorf("%d unproven, %v", b.unproven, b.strangers)
	}
}
