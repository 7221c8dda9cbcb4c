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
		err := b.takeForAnswer("a", piece, 0)
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
	if err := b.takeForAnswer("b", piece, 0); err != nil {
		t.Errorf("another: %v", err)
	}
	b.answerRead("a", held)
	b.answerRead("b", piece)
	b.release(held + piece)
	if b.used != 0 || len(b.answersInProgress) != 0 {
		t.Errorf("%d in use, %v", b.used, b.answersInProgress)
	}
}

// TestUnverifiedRequestsLeaveMemory: requests whose keys are not checked yet hold at most half of
// the memory, those of one address a quarter, until they are checked.
func TestUnverifiedRequestsLeaveMemory(t *testing.T) {
	t.Parallel()
	const limit, piece = 1 << 30, 1 << 20
	b := newBudget(limit)
	held := map[string]int64{}
	for _, address := range []string{"a", "b", "c", "d"} {
		for b.takeUnverified(address, piece) == nil {
			held[address] += piece
		}
	}
	if held["a"] != limit/4 || held["b"] != limit/8 || b.unverified > limit/2 {
		t.Errorf("strangers hold %v", held)
	}
	b.verified("a", held["a"])
	if err := b.takeUnverified("e", limit/16); err != nil {
		t.Errorf("once a key is judged: %v", err)
	}
	if err := b.take(limit / 4); err != nil {
		t.Errorf("for others: %v", err)
	}
	b.verified("e", limit/16)
	for _, address := range []string{"b", "c", "d"} {
		b.verified(address, held[address])
	}
	if b.unverified != 0 || len(b.unverifiedBy) != 0 {
		t.Errorf("%d unproven, %v", b.unverified, b.unverifiedBy)
	}
}
