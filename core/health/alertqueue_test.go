package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

func about(name string, s health.AlertState) health.Alert {
	return health.Alert{Key: health.Key{Code: fault.PortClosed, About: name}, State: s}
}

func TestQueueKeepsItsPace(t *testing.T) {
	t.Parallel()
	var q health.AlertQueue
	now := time.Unix(1e9, 0)
	for i := range 100 {
		q.Add(about(fmt.Sprint(i), health.AlertFiring))
	}
	if q.Waiting() != 64 || q.Dropped() != 36 {
		t.Fatalf("%d wait, %d dropped", q.Waiting(), q.Dropped())
	}
	begun, sent := now, 0
	for q.Waiting() > 0 {
		a, wait, ok := q.Next(now)
		if !ok {
			if wait <= 0 {
				t.Fatal("never again")
			}
			now = now.Add(wait)
			continue
		}
		if sent == 0 && a.Key.About != "36" {
			t.Errorf("the oldest that is left is %s", a.Key.About)
		}
		sent++
		q.Sent()
	}
	if took := now.Sub(begun); took < 17*time.Minute || took > 19*time.Minute {
		t.Errorf("64 alerts took %s", took)
	}
	if q.Dropped() != 0 {
		t.Error("what was dropped is still sent")
	}
}

// Many alerts that peers cause delay none that is more severe, and displace none.
func TestQueueSendsTheMostSevereFirst(t *testing.T) {
	t.Parallel()
	var q health.AlertQueue
	for i := range 200 {
		a := about(fmt.Sprint(i), health.AlertFiring)
		if a.Severity = fault.Warning; i == 1 {
			a.Severity = fault.Critical
		}
		q.Add(a)
	}
	if a, _, _ := q.Next(time.Unix(1, 0)); a.Key.About != "1" || q.Dropped() != 136 {
		t.Errorf("the first is %s, %d dropped", a.Key.About, q.Dropped())
	}
	q.Add(about("new", health.AlertFiring))
	q.Failed(time.Unix(1, 0), 0, 0)
	if a, _, _ := q.Next(time.Unix(100, 0)); a.Key.About != "1" {
		t.Errorf("after a failed attempt the first is %s", a.Key.About)
	}
	q.Sent()
	if a, _, _ := q.Next(time.Unix(1, 0)); a.Key.About != "137" {
		t.Errorf("the second is %s", a.Key.About)
	}
}

func TestQueueMergesAlertsOfOneCondition(t *testing.T) {
	t.Parallel()
	var q health.AlertQueue
	q.Add(about("x", health.AlertFiring))
	q.Add(about("x", health.AlertStill))
	a, _, _ := q.Next(time.Unix(1, 0))
	if q.Waiting() != 0 || a.State != health.AlertFiring {
		t.Errorf("%d wait, the first %s", q.Waiting(), a.State)
	}
	q.Add(about("x", health.AlertResolved))
	q.Failed(time.Unix(1, 0), 0, 0)
	if a, _, ok := q.Next(time.Unix(50, 0)); !ok || a.State != health.AlertResolved {
		t.Errorf("of what may have arrived no end is sent, but %s", a.State)
	}
	q.Sent()
	q.Add(about("x", health.AlertFiring))
	q.Add(about("x", health.AlertResolved))
	if q.Waiting() != 0 {
		t.Error("an end is sent of what never began")
	}
	q.Add(about("x", health.AlertResolved))
	q.Add(about("x", health.AlertFiring))
	if a, _, _ := q.Next(time.Unix(100, 0)); q.Waiting() != 0 || a.State != health.AlertFiring {
		t.Errorf("%d wait, the first %s", q.Waiting(), a.State)
	}
	q.Add(about("x", health.AlertResolved))
	q.Sent()
	if a, _, _ := q.Next(time.Unix(100, 0)); a.State != health.AlertResolved {
		t.Errorf("after its beginning its end is sent, not %s", a.State)
	}
}

func TestQueueBacksOff(t *testing.T) {
	t.Parallel()
	var q health.AlertQueue
	now := time.Unix(1e9, 0)
	q.Add(about("x", health.AlertFiring))
	last := time.Duration(0)
	for i := range 12 {
		if _, _, ok := q.Next(now); !ok {
			t.Fatalf("try %d is not made", i)
		}
		q.Failed(now, 0, 0.5)
		_, wait, ok := q.Next(now)
		if ok || wait < last || wait > 8*time.Minute {
			t.Errorf("pause %d is %s after %s", i, wait, last)
		}
		last = wait
		now = now.Add(max(wait, 30*time.Second))
	}
	q.Next(now)
	q.Failed(now, 20*time.Minute, 0)
	if _, wait, _ := q.Next(now); wait != 20*time.Minute {
		t.Errorf("asked for 20m, waits %s", wait)
	}
}
