package endpoint

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever an endpoint's limit is, and however it changes, the span finds it,
// stays within bounds, and few requests are refused.
func TestSpanFindsTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newLogSpans(rapid.Uint64Range(1, 5000).Draw(t, "start"))
		now := time.Unix(1000, 0)
		for range rapid.IntRange(1, 3).Draw(t, "limits") {
			limit := rapid.Uint64Range(1, 2*largestSpan).Draw(t, "limit")
			refused := 0
			for range 400 {
				now = now.Add(time.Second)
				span := s.next()
				if span < 1 || span > largestSpan {
					t.Fatalf("span %d", span)
				}
				if span > limit {
					refused++
					s.halve(span, now)
				} else {
					s.granted(span, now)
				}
			}
			if refused > 28+4*400/spanRetryRequests {
				t.Errorf("%d of 400 refused at a limit of %d", refused, limit)
			}
			if got := s.next(); got < min(limit, largestSpan)/4 {
				t.Errorf("settled at %d with a limit of %d", got, limit)
			}
		}
	})
}
