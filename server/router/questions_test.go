package router

import (
	"fmt"
	"net/netip"
	"testing"
)

// TestQuestionsAreShared: addresses that ask as much as they can leave an orchestrator's
// share to one that asks little.
func TestQuestionsAreShared(t *testing.T) {
	t.Parallel()
	at := func(n int) netip.Prefix { return netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", n)) }
	var q questions
	open := make(map[int]int)
	for range mostQuestions {
		for n := range 20 {
			if q.enter(at(n)) {
				open[n]++
			}
		}
	}
	if q.open > mostQuestions {
		t.Errorf("%d questions are open", q.open)
	}
	for range freeQuestions / 21 {
		if !q.enter(at(100)) {
			t.Fatal("an address with less than its share was refused")
		}
		open[100]++
	}
	for n, count := range open {
		for range count {
			q.leave(at(n))
		}
	}
	if q.open != 0 || len(q.from) != 0 {
		t.Errorf("%d questions of %d addresses are left", q.open, len(q.from))
	}
	if one := at(1); !q.enter(one) {
		t.Error("refused with nothing open")
	}
}
