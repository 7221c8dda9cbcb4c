package broker_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// TestAnswersThatCannotBeUsedCountAgainst: an orchestrator whose answers come whole and are
// none rests like one that fails; clients that leave do not make it rest.
func TestAnswersThatCannotBeUsedCountAgainst(t *testing.T) {
	t.Parallel()
	for how, rests := range map[inference.Ending]bool{
		inference.Faulty: true, inference.Complete: false, inference.Partial: false, inference.ClientLeft: false,
		inference.Unrated: false,
	} {
		s := start(t, nil, fake(t, "a"))
		for range 3 {
			a, err := s.Do(t.Context(), chat(), broker.Hint{})
			if err != nil {
				t.Fatal(err)
			}
			a.Deliver(inference.Delivery{How: how})
			a.Deliver(inference.Delivery{How: inference.Faulty}) // the first counts
			a.Body.Close()
		}
		if s.inFlight() != 0 {
			t.Errorf("%d: in flight", how)
		}
		until := s.Pools()[0].Statuses[0].Resting
		if got := until.After(s.clock.Now()); got != rests {
			t.Errorf("%d: rests %v, want %v", how, got, rests)
		}
	}
}

// TestPaidAnswersThatCannotBeUsed: paid forever for what is none, it is not; good answers
// in between do not make up for that.
func TestPaidAnswersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a")
	o.charge(p, 600)
	s := start(t, paying(p, hurried), o)
	bad := 0
	for n := range 200 {
		a, err := s.Do(t.Context(), chat(), broker.Hint{})
		if err != nil {
			break
		}
		d := inference.Delivery{How: inference.Complete}
		if n%3 != 0 {
			d.How = inference.Faulty
			bad++
		}
		a.Deliver(d)
		a.Body.Close()
		s.clock.Forward(time.Millisecond)
	}
	if bad > 100 {
		t.Errorf("%d bad answers were paid", bad)
	}
}
