package gateway

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// TestOneOrchestratorLeavesMemoryToOthers: however much one keeps in use, streams of
// others find memory; and one segment alone is never the orchestrator's fault.
func TestOneOrchestratorLeavesMemoryToOthers(t *testing.T) {
	t.Parallel()
	const limit, segment = 1 << 30, 1 << 20
	b := newBudget(limit)
	var loans []*reservation
	var shares []*share
	for {
		s := b.share(party{})
		if err := s.grow(segment); err != nil {
			t.Fatal("a slow orchestrator fills the budget")
		}
		l, err := s.reserve("slow", segment)
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
	endless := b.share(party{})
	if err := endless.grow(segment); err != nil {
		t.Fatal(err)
	}
	l, err := endless.reserve("endless", segment)
	for err == nil {
		err = l.grow(segment)
	}
	if fault.CodeOf(err) != fault.OrchestratorOverShare {
		t.Errorf("an endless answer ended with %v", err)
	}
	good := b.share(party{})
	if err := good.grow(segment); err != nil {
		t.Fatal(err)
	}
	work, err := good.reserve("good", segment)
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
	if b.used != 0 || len(b.inProgress) != 0 {
		t.Errorf("%d bytes, %v stay in use", b.used, b.inProgress)
	}
}

// TestAStrangersMemory: an unchecked client's address has at most two thirds of the memory,
// others what they need of the rest.
func TestAnUncheckedClientsMemory(t *testing.T) {
	t.Parallel()
	const limit, segment = 1 << 30, 1 << 20
	b := newBudget(limit)
	unchecked := b.share(party{from: netip.MustParsePrefix("192.0.2.1/32")})
	other := b.share(party{from: netip.MustParsePrefix("192.0.2.2/32")})
	for unchecked.grow(segment) == nil {
	}
	if unchecked.held < limit/2 || unchecked.held > limit*2/3+segment {
		t.Errorf("a stranger holds %d of %d", unchecked.held, limit)
	}
	if err := other.grow(100 * segment); err != nil {
		t.Error(err)
	}
	checked := b.share(party{})
	if err := checked.grow(200 * segment); err != nil {
		t.Error(err)
	}
	for _, s := range []*share{unchecked, other, checked} {
		s.free()
	}
	if b.used != 0 || len(b.unchecked) != 0 {
		t.Errorf("%d in use, %v", b.used, b.unchecked)
	}
}

// TestAKeysMemory: the bodies of one key leave a quarter of the memory to others, and what is made of them is not
// refused for it.
func TestAKeysMemory(t *testing.T) {
	t.Parallel()
	const limit, segment = 1 << 30, 1 << 20
	b := newBudget(limit)
	one, other := b.share(party{key: "a"}), b.share(party{key: "b"})
	for one.grow(segment) == nil {
	}
	if one.held < limit*3/4-segment || one.held > limit*3/4 {
		t.Errorf("a key holds %d of %d", one.held, limit)
	}
	if err := one.growByResult(segment); err != nil {
		t.Error(err)
	}
	if err := other.grow(limit / keyMinimum); err != nil {
		t.Error(err)
	}
	machine := b.share(party{})
	if err := machine.grow(limit / 8); err != nil {
		t.Error(err)
	}
	for _, s := range []*share{one, other, machine} {
		s.free()
	}
	if b.used != 0 || len(b.keyed) != 0 {
		t.Errorf("%d in use, %v", b.used, b.keyed)
	}
}

// An orchestrator that answers with far more than usual fails its own attempt, not the segment, when the
// memory is full.
func TestALargeAnswerIsItsOrchestrators(t *testing.T) {
	t.Parallel()
	const limit, segment = 1 << 30, 1 << 20
	b := newBudget(limit)
	others := b.share(party{})
	if err := others.grow(limit * 9 / 10); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]fault.Code{150 << 20: fault.OrchestratorOverShare, segment: ""} {
		s := b.share(party{})
		if err := s.grow(segment); err != nil {
			t.Fatal(err)
		}
		l, err := s.reserve("large", segment)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.grow(size); fault.CodeOf(err) != want && (err != nil || want != "") {
			t.Errorf("%d bytes: %v", size, err)
		}
		l.end()
		s.free()
	}
}
