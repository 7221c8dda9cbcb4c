package sender

import (
	"testing"

	"pgregory.net/rapid"
)

func TestQuota(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		q := newQuota[int](3, 7)
		have := make(map[int]int)
		all := 0
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			key := rapid.IntRange(0, 3).Draw(rt, "who")
			if rapid.Bool().Draw(rt, "leaves") {
				if have[key] > 0 {
					q.release(key)
					have[key]--
					all--
				}
				continue
			}
			want := have[key] < 3 && all < 7
			if got := q.acquire(key); got != want {
				rt.Fatalf("enter with %d of %d: %v", have[key], all, got)
			}
			if want {
				have[key]++
				all++
			}
		}
		if q.all != all || len(q.by) > all {
			rt.Fatalf("%d are counted for %d, %d are remembered", q.all, all, len(q.by))
		}
	})
}
