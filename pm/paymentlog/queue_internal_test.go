package paymentlog

import "testing"

// A result is never dropped, however much waits; what moved no money may be.
func TestResultsAreNotDropped(t *testing.T) {
	t.Parallel()
	s := &Store{wake: make(chan struct{}, 1), later: make(chan struct{}, 1), queue: make([]*entry, maxWaiting)}
	s.Record(&Payment{Result: Result{State: Answered}})
	if len(s.queue) != maxWaiting {
		t.Error("what waits is not bounded")
	}
	s.Settle(7, Result{State: Answered, Units: 3})
	if last := s.queue[len(s.queue)-1]; last == nil || last.id != 7 || last.result.Units != 3 {
		t.Errorf("the result is lost: %+v", last)
	}
}
