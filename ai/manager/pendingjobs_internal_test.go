package manager

import "testing"

func TestPendingJobs(t *testing.T) {
	t.Parallel()
	var p pendingJobs
	want := func(jobs, a, b bool) {
		t.Helper()
		if p.any() != jobs || p.of("a") != a || p.of("b") != b {
			t.Error(p.any(), p.of("a"), p.of("b"))
		}
	}
	want(false, false, false)
	p.add("a", 1)
	p.add("a", 1)
	p.add("b", 1)
	want(true, true, true)
	p.add("a", -1)
	p.add("b", -1)
	want(true, true, false)
	p.add("a", -1)
	want(false, false, false)
	if len(p.byParty) != 0 {
		t.Error("it remembers", p.byParty)
	}
}
