package worker

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPausesFollowTheRule(t *testing.T) {
	t.Parallel()
	var p retryBackoff
	now := time.Unix(1000, 0)
	want := []time.Duration{500 * time.Millisecond, 750 * time.Millisecond, 1125 * time.Millisecond}
	for i, w := range want {
		if got := p.next(now, 0, 0.5); got != w {
			t.Errorf("pause %d is %v, want %v", i, got, w)
		}
	}
	for range 20 {
		p.next(now, 0, 0.5)
	}
	if got := p.next(now, 0, 0.5); got != time.Minute {
		t.Errorf("at last %v", got)
	}
	if got := p.next(now, time.Second, 0.5); got != time.Minute {
		t.Errorf("after a registration that ended at once %v", got)
	}
	if got := p.next(now, time.Hour, 1); got > firstPause {
		t.Errorf("after a good registration %v", got)
	}
	if got := p.next(now, 0, 0.5); got != firstPause {
		t.Errorf("and then %v", got)
	}
}

func TestPausesAreBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p retryBackoff
		now := time.Unix(1000, 0)
		for range rapid.IntRange(1, 60).Draw(t, "attempts") {
			lasted := time.Duration(rapid.Int64Range(0, int64(10*time.Second)).Draw(t, "lasted"))
			got := p.next(now, lasted, rapid.Float64Range(0, 1).Draw(t, "chance"))
			if got < 0 || got > longestPause {
				t.Fatalf("pause %v", got)
			}
			if lasted < goodAfter && got < firstPause/2 {
				t.Fatalf("pause %v after a failure", got)
			}
			now = now.Add(lasted + got)
		}
	})
}

// An orchestrator that restarts within five seconds is found within five more, by
// every worker that it had.
func TestRestartIsFoundSoon(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p retryBackoff
		now := time.Unix(1000, 0)
		back := now.Add(time.Duration(rapid.Int64Range(0, int64(5*time.Second)).Draw(t, "away")))
		lasted := time.Hour
		for lasted > 0 || now.Before(back) {
			now = now.Add(p.next(now, lasted, rapid.Float64Range(0, 1).Draw(t, "chance")))
			lasted = 0
		}
		if late := now.Sub(back); late > 5*time.Second {
			t.Fatalf("found after %v", late)
		}
	})
}
