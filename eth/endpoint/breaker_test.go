package endpoint

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	var b breaker
	for range failureThreshold - 1 {
		b.failure(start, false, 0.5)
	}
	if !b.allows(start) {
		t.Fatal("open too early")
	}
	b.failure(start, false, 0.5)
	if b.allows(start.Add(999*time.Millisecond)) || !b.allows(start.Add(time.Second)) {
		t.Fatal("the first rest is not a second")
	}
	at := start.Add(time.Second)
	if !b.acquire(at) || b.acquire(at) {
		t.Fatal("half open lets not exactly one through")
	}
	b.failure(at, false, 0.5)
	if b.allows(at.Add(1999*time.Millisecond)) || !b.allows(at.Add(2*time.Second)) {
		t.Fatal("the second rest is not two seconds")
	}
	// What was on its way when it opened does not make the rest longer.
	b.failure(at, false, 0.5)
	if !b.allows(at.Add(2 * time.Second)) {
		t.Fatal("a late failure counted")
	}
	b.success()
	if !b.allows(at) || b.open() {
		t.Fatal("success does not close")
	}
}

func TestBreakerHonorsTheProvider(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	var b breaker
	b.trip(at, 30*time.Second, 0)
	if b.allows(at.Add(30*time.Second-1)) || !b.allows(at.Add(30*time.Second)) {
		t.Error("Retry-After: 30 is not 30 s")
	}
	b = breaker{}
	b.trip(at, 24*time.Hour, 0)
	if !b.allows(at.Add(maxRetryAfter)) {
		t.Error("a day is believed")
	}
	for text, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "soon": 0, "-4": 0, "99999999": maxRetryAfter,
		at.Add(9 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"): 9 * time.Second,
		at.Add(-time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"):      0,
	} {
		if got := retryAfter(text, at); got != want {
			t.Errorf("Retry-After %q is %v, want %v", text, got, want)
		}
	}
}

// Whatever happens to a breaker, it lets a request through within a bounded time,
// and never more than one while it is open.
func TestBreakerRecovers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b breaker
		now := time.Unix(1000, 0)
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(2*time.Minute)).Draw(t, "pause")))
			chance := rapid.Float64Range(0, 0.999).Draw(t, "chance")
			entered := b.acquire(now)
			if entered && b.open() && b.acquire(now) {
				t.Fatal("two at once through an open breaker")
			}
			switch rapid.IntRange(0, 4).Draw(t, "event") {
			case 0:
				b.success()
			case 1:
				b.failure(now, rapid.Bool().Draw(t, "lasting"), chance)
			case 2:
				b.trip(now, time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "wait")), chance)
			default:
				b.releaseTrial()
			}
			b.releaseTrial()
			if !b.allows(now.Add(maxRetryAfter + firstBackoff)) {
				t.Fatalf("shut for good: %+v", b)
			}
		}
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	var fast, slow, flaky stats
	for i := range 100 {
		fast.recordAnswer(time.Duration(i) * 100 * time.Microsecond)
		slow.recordAnswer(500 * time.Millisecond)
		flaky.recordAnswer(time.Millisecond)
		flaky.recordFailure()
	}
	if got := fast.p95(); got < 9*time.Millisecond || got > 10*time.Millisecond {
		t.Errorf("p95 is %v", got)
	}
	if fast.cost(0) >= slow.cost(0) || slow.cost(0) >= flaky.cost(0) || fast.cost(100) <= slow.cost(0) {
		t.Errorf("costs: fast %v, slow %v, flaky %v, behind %v", fast.cost(0), slow.cost(0), flaky.cost(0), fast.cost(100))
	}
}
