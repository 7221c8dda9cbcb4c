package airouting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

// failFor has so many attempts of a client fail; ok is false where it finds no orchestrator.
func failFor(table *airouting.Table, client string, now time.Time, n int, o airouting.Outcome) (ok bool) {
	for range n {
		l, _ := table.Pick(now, airouting.Query{Client: client})
		if l == nil {
			return false
		}
		l.Done(now, o)
	}
	return true
}

// open reports whether a client gets an orchestrator; it leaves no trace.
func open(table *airouting.Table, client string, now time.Time) bool {
	l, _ := table.Pick(now, airouting.Query{Client: client})
	if l != nil {
		l.Done(now, airouting.Abandoned)
	}
	return l != nil
}

// TestOneClientsFailuresAreItsOwn: whatever one client's requests do, and for however long,
// the orchestrator takes those of others.
func TestOneClientsFailuresAreItsOwn(t *testing.T) {
	t.Parallel()
	for _, o := range []airouting.Outcome{airouting.Failed, airouting.Broken} {
		table, now := tableOf(warm("a")), t0
		if failFor(table, "x", now, 3, o); open(table, "x", now) {
			t.Errorf("outcome %d: three failures do not make it rest for their client", o)
		}
		for range 600 {
			failFor(table, "x", now, 5, o)
			if !open(table, "y", now) {
				t.Fatalf("outcome %d: it rests for another client %v after the first failures", o, now.Sub(t0))
			}
			now = now.Add(100 * ms)
		}
	}
}

// TestRestsOfAClientGrow: an orchestrator that is down is left alone by its only client for
// growing times, and tried now and then because there is no other; an answer ends that.
func TestRestsOfAClientGrow(t *testing.T) {
	t.Parallel()
	table, now, tries := tableOf(warm("a"), warm("b")), t0, map[string]int{}
	for range 600 {
		l, v := table.Pick(now, airouting.Query{Client: "x", Tried: []string{"b"}})
		if v == airouting.Picked {
			tries[l.URI()]++
			l.Done(now, airouting.Failed)
		}
		now = now.Add(100 * ms)
	}
	if n := tries["a"]; n < 10 || n > 310 {
		t.Errorf("tried %d times in a minute", n)
	}
	// Alongside another one that works it is hardly tried at all.
	tries = map[string]int{}
	for range 600 {
		l := pick(t, table, now, airouting.Query{Client: "x"})
		tries[l.URI()]++
		if l.URI() == "a" {
			l.Done(now, airouting.Failed)
		} else {
			l.FirstByte(now)
			l.Done(now, airouting.Served)
		}
		now = now.Add(100 * ms)
	}
	if n := tries["a"]; n > 4 {
		t.Errorf("tried %d times in a minute alongside one that works", n)
	}
	now = now.Add(time.Minute)
	l := pick(t, table, now, airouting.Query{Client: "x", Tried: []string{"b"}})
	l.FirstByte(now)
	l.Done(now, airouting.Served)
	if failFor(table, "x", now, 1, airouting.Failed); !open(table, "x", now) {
		t.Error("the first failure after an answer makes it rest")
	}
}

// TestSeveralClientsFailuresCount: what fails for three clients in a row rests for all.
func TestSeveralClientsFailuresCount(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	for i, client := range []string{"x", "y", "z"} {
		if !open(table, "w", t0) {
			t.Fatalf("it rests after failures of %d clients", i)
		}
		failFor(table, client, t0, 1, airouting.Failed)
	}
	if open(table, "w", t0) {
		t.Error("it takes jobs after the failures of three clients in a row")
	}
	table = tableOf(warm("a"))
	for i := range 30 {
		failFor(table, fmt.Sprint(i%2), t0, 1, airouting.Failed)
		l := pick(t, table, t0, airouting.Query{Client: "w"})
		l.FirstByte(t0)
		l.Done(t0, airouting.Served)
	}
	table = tableOf(warm("a"))
	if failFor(table, "x", t0, 1, airouting.Unreachable); open(table, "y", t0) {
		t.Error("one that cannot be reached takes jobs")
	}
}

// TestOneClientProlongsNoRest: after a rest that had other reasons, one client's failures
// begin no other one, as a probe or later.
func TestOneClientProlongsNoRest(t *testing.T) {
	t.Parallel()
	table, now := tableOf(warm("a")), t0
	failFor(table, "y", now, 1, airouting.Unreachable)
	now = now.Add(time.Second)
	failFor(table, "x", now, 1, airouting.Failed) // as the probe
	now = now.Add(2 * time.Second)
	l := pick(t, table, now, airouting.Query{Client: "y"})
	l.FirstByte(now)
	l.Done(now, airouting.Abandoned)
	for range 100 {
		failFor(table, "x", now, 3, airouting.Failed)
		if !open(table, "y", now) {
			t.Fatal("it rests for a client whose requests do not fail")
		}
		now = now.Add(time.Second)
	}
}

// TestOneClientsLosses: what one client's requests cost without an answer makes the
// orchestrator rest for that client, for others only with what they lose themselves.
func TestOneClientsLosses(t *testing.T) {
	t.Parallel()
	lose := func(table *airouting.Table, client string, loss airouting.Loss) bool {
		l, _ := table.Pick(t0, airouting.Query{Client: client})
		if l == nil {
			return false
		}
		l.Lost(t0, loss)
		l.Done(t0, airouting.Refused)
		return true
	}
	for _, loss := range []airouting.Loss{airouting.SmallLoss, airouting.RefusedLoss} {
		table, n := tableOf(warm("a")), 0
		for n < 100 && lose(table, "x", loss) {
			n++
		}
		if n == 100 {
			t.Errorf("loss %d: one client pays it 100 times for nothing", loss)
		}
		if !open(table, "y", t0) {
			t.Errorf("loss %d: it rests for another client", loss)
		}
	}
	table, paid := tableOf(warm("a")), 0
	for i := 0; i < 100 && lose(table, fmt.Sprint(i), airouting.RefusedLoss); i++ {
		paid++
	}
	if paid != 8 {
		t.Errorf("%d clients pay it once for nothing, want 8", paid)
	}
	table = tableOf(warm("a"))
	if lose(table, "x", airouting.Default); open(table, "y", t0) {
		t.Error("one that takes payments and refuses work without a reason is paid by another client")
	}
}

// TestClientsAreBounded: an orchestrator's failures with ever new clients are forgotten, the
// oldest first, and it rests for all after three.
func TestClientsAreBounded(t *testing.T) {
	t.Parallel()
	table, now := tableOf(warm("a")), t0
	for i := range 1000 {
		client := fmt.Sprint(i)
		failFor(table, client, now, 3, airouting.Failed)
		for range 2 { // so that the failures do not add up
			if l, _ := table.Pick(now.Add(time.Hour), airouting.Query{Client: "good"}); l != nil {
				l.FirstByte(now.Add(time.Hour))
				l.Done(now.Add(time.Hour), airouting.Served)
			}
		}
		now = now.Add(ms)
	}
	if !open(table, "0", now) {
		t.Error("the first client's failures are not forgotten after those of 999 others")
	}
}
