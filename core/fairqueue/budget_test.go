package fairqueue_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// TestBudgetLeavesMemoryToOthers: one request may take all; a party with several takes no more than it leaves.
func TestBudgetLeavesMemoryToOthers(t *testing.T) {
	t.Parallel()
	b := fairqueue.NewBudget(10)
	for i, row := range []struct {
		party   string
		n, held int64
		fits    bool
	}{
		{"a", 4, 0, true}, {"a", 1, 0, true}, {"a", 1, 0, false}, {"a", 1, 5, true},
		{"b", 5, 0, false}, {"b", 4, 0, true}, {"c", 1, 0, false},
	} {
		if fits := b.Take(row.party, row.n, row.held); fits != row.fits {
			t.Errorf("step %d: %v", i, fits)
		}
	}
	b.Release("a", 6)
	b.Release("b", 4)
	if !b.Take("c", 10, 0) {
		t.Error("released memory is not free")
	}
}
