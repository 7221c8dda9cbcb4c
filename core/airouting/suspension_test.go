package airouting_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

// fail lets attempts fail one after another.
func fail(t *testing.T, table *airouting.Table, now time.Time, n int, o airouting.Outcome) {
	t.Helper()
	for range n {
		pick(t, table, now, airouting.Query{}).Done(now, o)
	}
}

func resting(t *testing.T, table *airouting.Table, now time.Time) bool {
	t.Helper()
	return !table.HasHealthy(now)
}

func TestWhatMakesOneRest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		outcome airouting.Outcome
		times   int
		rests   bool
	}{
		"no connection":               {airouting.Unreachable, 1, true},
		"two failures":                {airouting.Failed, 2, false},
		"three failures":              {airouting.Failed, 3, true},
		"three breaks":                {airouting.Broken, 3, true},
		"what a client does wrong":    {airouting.Refused, 1000, false},
		"no room":                     {airouting.Full, 1000, false},
		"clients that leave":          {airouting.Abandoned, 1000, false},
		"answers that come to an end": {airouting.Served, 1000, false},
	} {
		table := tableOf(warm("a"))
		fail(t, table, t0, row.times, row.outcome)
		if got := resting(t, table, t0); got != row.rests {
			t.Errorf("%s: rests %v, want %v", name, got, row.rests)
		}
	}
}

func TestSuccessForgetsFailures(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	for range 10 {
		fail(t, table, t0, 2, airouting.Failed)
		serve(t, table, t0, airouting.Query{}, ms)
	}
	if resting(t, table, t0) {
		t.Error("failures that are not in a row made it rest")
	}
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	fail(t, table, t0, 1, airouting.Unreachable)
	if _, v := table.Pick(t0, airouting.Query{}); v != airouting.Resting {
		t.Fatalf("verdict %d right after the failure", v)
	}
	now := t0.Add(time.Second)
	l := pick(t, table, now, airouting.Query{})
	if !l.Probe() {
		t.Error("the first one after a rest is a probe")
	}
	if _, v := table.Pick(now, airouting.Query{}); v != airouting.Resting {
		t.Errorf("verdict %d alongside a probe", v)
	}
	l.FirstByte(now)
	if resting(t, table, now) {
		t.Error("an answer ends the rest")
	}
	l.Done(now, airouting.Served)
	pick(t, table, now, airouting.Query{})
	pick(t, table, now, airouting.Query{})
}

// A probe whose answer runs on is a probe no more: what becomes of it says nothing of
// the rest that came meanwhile.
func TestAProbesStreamIsNoProbe(t *testing.T) {
	t.Parallel()
	for _, end := range []airouting.Outcome{airouting.Served, airouting.Broken, airouting.Abandoned, airouting.Refused} {
		table := tableOf(warm("a"))
		fail(t, table, t0, 1, airouting.Unreachable)
		now := t0.Add(time.Second)
		stream := pick(t, table, now, airouting.Query{})
		stream.FirstByte(now)
		now = now.Add(time.Second)
		fail(t, table, now, 1, airouting.Unreachable) // it rests again
		left := rest(t, table, now)
		now = now.Add(left)
		probe := pick(t, table, now, airouting.Query{})
		if !stream.Probe() || !probe.Probe() {
			t.Fatal("both began as probes")
		}
		stream.Done(now, end)
		if _, v := table.Pick(now, airouting.Query{}); v != airouting.Resting {
			t.Errorf("outcome %d let a second probe begin alongside the first: verdict %d", end, v)
		}
		if got := rest(t, table, now); got != 0 {
			t.Errorf("outcome %d of a stream from before it left a rest of %v, want it over", end, got)
		}
		probe.FirstByte(now)
		if resting(t, table, now) {
			t.Errorf("outcome %d: the probe's answer does not end the rest", end)
		}
	}
}

func TestAnyAnswerEndsARest(t *testing.T) {
	t.Parallel()
	for _, o := range []airouting.Outcome{airouting.Served, airouting.Refused, airouting.Full} {
		table := tableOf(warm("a"))
		fail(t, table, t0, 1, airouting.Unreachable)
		now := t0.Add(time.Second)
		pick(t, table, now, airouting.Query{}).Done(now, o)
		if resting(t, table, now) {
			t.Errorf("outcome %d left it resting", o)
		}
	}
	// A client that leaves tells nothing, and frees the probe.
	table := tableOf(warm("a"))
	fail(t, table, t0, 1, airouting.Unreachable)
	now := t0.Add(time.Second)
	pick(t, table, now, airouting.Query{}).Done(now, airouting.Abandoned)
	if !pick(t, table, now, airouting.Query{}).Probe() {
		t.Error("it is to be probed still")
	}
}

// rest measures how long it is left alone when there are others.
func rest(t *testing.T, table *airouting.Table, now time.Time) time.Duration {
	t.Helper()
	for _, s := range table.Statuses(now) {
		if !s.Resting.IsZero() {
			return s.Resting.Sub(now)
		}
	}
	t.Fatal("no orchestrator rests")
	return 0
}

func TestRestsDouble(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	now := t0
	fail(t, table, now, 1, airouting.Unreachable)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		got := rest(t, table, now)
		if full := want * time.Second; got > full || got < full*8/10 {
			t.Fatalf("rests for %v, want about %v", got, full)
		}
		now = now.Add(got)
		fail(t, table, now, 1, airouting.Failed)
	}
}

func TestLastResortDoesNotLengthenARest(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	fail(t, table, t0, 1, airouting.Unreachable)
	until := rest(t, table, t0)
	now := t0.Add(200 * ms)
	fail(t, table, now, 1, airouting.Unreachable)
	if got := rest(t, table, t0); got != until {
		t.Errorf("rest of %v became %v", until, got)
	}
	if _, v := table.Pick(now.Add(ms), airouting.Query{}); v != airouting.Resting {
		t.Errorf("asked again at once: verdict %d", v)
	}
	serve(t, table, now.Add(200*ms), airouting.Query{}, ms)
	if resting(t, table, now.Add(201*ms)) {
		t.Error("it is back and still rests")
	}
}

func TestFlappingRestsLonger(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	now := t0
	fail(t, table, now, 1, airouting.Unreachable)
	before := rest(t, table, now)
	for range 3 { // back for a moment, then gone again
		now = now.Add(before)
		serve(t, table, now, airouting.Query{}, ms)
		now = now.Add(time.Second)
		fail(t, table, now, 1, airouting.Unreachable)
		got := rest(t, table, now)
		if got <= before {
			t.Fatalf("rests for %v, %v the time before", got, before)
		}
		before = got
	}
	now = now.Add(before)
	serve(t, table, now, airouting.Query{}, ms)
	now = now.Add(time.Hour) // that is another story
	fail(t, table, now, 1, airouting.Unreachable)
	if got := rest(t, table, now); got > time.Second {
		t.Errorf("rests for %v after an hour without a failure", got)
	}
}

func TestStragglersDoNotCount(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	var before []*airouting.Lease
	for range 10 {
		before = append(before, pick(t, table, t0, airouting.Query{}))
	}
	for _, l := range before {
		l.Done(t0, airouting.Failed)
	}
	if got := rest(t, table, t0); got > time.Second {
		t.Errorf("ten that failed together made it rest for %v", got)
	}
}
