package gateway

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// TestOneOrchestratorLeavesMemoryToOthers: however much one keeps in use, streams of
// others find memory; and one segment alone is never the orchestrator's fault.
func TestOneOrchestratorLeavesMemoryToOthers(t *testing.T) {
	t.Parallel()
	const limit, segment = 1 << 30, 1 << 20
	b := newBudget(limit)
	var loans []*loan
	var shares []*share
	for {
		s := b.share()
		if err := s.grow(segment); err != nil {
			t.Fatal("a slow orchestrator fills the budget")
		}
		l, err := s.lend("slow", segment)
		if err != nil {
			if fault.CodeOf(err) != fault.OrchestratorOverShare {
				t.Error(err)
			}
			l.end()
			s.free()
			break
		}
		loans, shares = append(loans, l), append(shares, s)
	}
	if free := limit - b.used; free < limit/4 {
		t.Errorf("%d bytes are left to others", free)
	}
	// One more that sends without end, and a third that works.
	endless := b.share()
	if err := endless.grow(segment); err != nil {
		t.Fatal(err)
	}
	l, err := endless.lend("endless", segment)
	for err == nil {
		err = l.grow(segment)
	}
	if fault.CodeOf(err) != fault.OrchestratorOverShare {
		t.Errorf("an endless answer ended with %v", err)
	}
	good := b.share()
	if err := good.grow(segment); err != nil {
		t.Fatal(err)
	}
	work, err := good.lend("good", segment)
	for range usualFactor {
		if err == nil {
			err = work.grow(segment)
		}
	}
	if err != nil {
		t.Errorf("another orchestrator's segment: %v", err)
	}
	for _, l := range append(loans, l, work) {
		l.end()
	}
	for _, s := range append(shares, endless, good) {
		s.free()
	}
	if b.used != 0 || len(b.lent) != 0 {
		t.Errorf("%d bytes, %v stay in use", b.used, b.lent)
	}
}
