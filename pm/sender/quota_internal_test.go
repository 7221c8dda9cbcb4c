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
			who := rapid.IntRange(0, 3).Draw(rt, "who")
			if rapid.Bool().Draw(rt, "leaves") {
				if have[who] > 0 {
					q.leave(who)
					have[who]--
					all--
				}
				continue
			}
			want := have[who] < 3 && all < 7
			if got := q.enter(who); got != want {
				rt.Fatalf("enter with %d of %d: %v", have[who], all, got)
			}
			if want {
				have[who]++
				all++
			}
		}
		if q.all != all || len(q.by) > all {
			rt.Fatalf("%d are counted for %d, %d are remembered", q.all, all, len(q.by))
		}
	})
}
