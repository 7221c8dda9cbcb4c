package videorouting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
)

// TestOneClientsSuspensions: what an orchestrator does with one client's segments holds for
// that client's streams, however often; with three clients' in a row for all.
func TestOneClientsSuspensions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		record  func(videorouting.Shared, videorouting.Identity, time.Time)
		barring bool
	}{
		"failures": {videorouting.Shared.Suspend, false}, "lies": {videorouting.Shared.Bar, true},
	} {
		var s videorouting.Suspensions
		x, y, w := s.For("x"), s.For("y"), s.For("w")
		until := func(v videorouting.Shared) bool { return !v.Until(id("a"), t0).IsZero() }
		for range 100 {
			row.record(x, id("a"), t0)
		}
		if !until(x) || x.Barred(id("a"), t0) != row.barring {
			t.Errorf("%s: the client's streams go on", name)
		}
		if until(y) || y.Barred(id("a"), t0) || until(s.For("")) {
			t.Errorf("%s of one client hold for others", name)
		}
		if l := s.List(t0); len(l) != 1 || !l[0].Some || l[0].Barred != row.barring {
			t.Errorf("%s: listed as %+v", name, l)
		}
		row.record(y, id("a"), t0)
		if until(w) {
			t.Errorf("%s of two clients hold for all", name)
		}
		row.record(s.For("z"), id("a"), t0)
		if !until(w) || w.Barred(id("a"), t0) != row.barring || s.List(t0)[0].Some {
			t.Errorf("%s of three clients do not hold for all", name)
		}
	}
}

// TestASuccessSeparatesFailures: failures of clients that are not in a row do not add up; lies
// do.
func TestASuccessSeparatesFailures(t *testing.T) {
	t.Parallel()
	var s videorouting.Suspensions
	good := s.For("good")
	for i := range 30 {
		s.For(fmt.Sprint(i)).Suspend(id("a"), t0)
		good.Clear(id("a"))
	}
	if !good.Until(id("a"), t0).IsZero() || s.For("3").Until(id("a"), t0).IsZero() {
		t.Error("failures of single clients hold for all, or not for their clients")
	}
	for i := range 3 {
		s.For(fmt.Sprint(i)).Bar(id("b"), t0)
		good.Clear(id("b"))
	}
	if !good.Barred(id("b"), t0) {
		t.Error("an orchestrator that lied to three clients is used for others")
	}
}

// TestLiesAddUpAgain: an orchestrator that lies again to clients that know it is barred for all
// again, and for longer each time.
func TestLiesAddUpAgain(t *testing.T) {
	t.Parallel()
	var s videorouting.Suspensions
	now, last := t0, time.Duration(0)
	for round := range 4 {
		for client := range 3 {
			if !s.For("other").Until(id("a"), now).IsZero() {
				t.Errorf("round %d: lies to %d clients hold for all", round, client)
			}
			s.For(fmt.Sprint(client)).Bar(id("a"), now)
			s.For("good").Clear(id("a"))
		}
		until := s.For("other").Until(id("a"), now)
		if !s.For("other").Barred(id("a"), now) || until.Sub(now) <= last {
			t.Fatalf("round %d: barred for others until %v, at %v", round, until, now)
		}
		last, now = until.Sub(now), until
	}
}

// TestClientsOfAnOrchestratorAreBounded: ever new clients cost no memory, and the suspensions
// of clients end like others.
func TestClientsOfAnOrchestratorAreBounded(t *testing.T) {
	t.Parallel()
	var s videorouting.Suspensions
	for i := range 1000 {
		v := s.For(fmt.Sprint(i))
		v.Suspend(id("a"), t0.Add(time.Duration(i)))
		v.SetReason(id("a"), fault.OrchestratorBroke)
		s.For("good").Clear(id("a"))
	}
	held := 0
	for i := range 1000 {
		if !s.For(fmt.Sprint(i)).Until(id("a"), t0).IsZero() {
			held++
		}
	}
	if held > 64 {
		t.Errorf("%d clients are remembered", held)
	}
	if l := s.List(t0); len(l) != 1 || l[0].Code != fault.OrchestratorBroke {
		t.Errorf("listed as %+v", l)
	}
	if l := s.List(t0.Add(time.Hour)); len(l) != 0 {
		t.Errorf("after an hour: %+v", l)
	}
}
