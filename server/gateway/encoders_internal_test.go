package gateway

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// Two encoders with one name are seen; one that begins again, pushes a segment twice or
// moves to another address is not.
func TestEncoders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		push func(n int) []pushed
		want string
	}{
		"one":             {func(n int) []pushed { return []pushed{segmentOf(n, 1, "a")} }, ""},
		"a push repeated": {func(n int) []pushed { return []pushed{segmentOf(n, 1, "a"), segmentOf(n, 1, "a")} }, ""},
		"two of one machine": {func(n int) []pushed { return []pushed{segmentOf(n, 1, "a"), segmentOf(n, 2, "a")} },
			"from a"},
		"two of two machines": {func(n int) []pushed { return []pushed{segmentOf(n, 1, "a"), segmentOf(100+n, 2, "b")} },
			"from a and b"},
		"a spare that is equal": {func(n int) []pushed { return []pushed{segmentOf(n, 1, "a"), segmentOf(n, 1, "a")} }, ""},
		// The algorithm follows the orchestrator, see stream.hashing.
		"a push repeated, hashed otherwise": {func(n int) []pushed {
			again := segmentOf(n, 2, "a")
			again.hash.Algorithm = signature.SHA256
			return []pushed{segmentOf(n, 1, "a"), again}
		}, ""},
		"begins again": {func(n int) []pushed { return []pushed{segmentOf(n%5, byte(n/5), "a")} }, ""},
		"moves":        {func(n int) []pushed { return []pushed{segmentOf(n, 1, []string{"a", "b"}[n/10])} }, ""},
	} {
		var e encoders
		now := time.Unix(1_700_000_000, 0)
		for n := range 20 {
			for _, p := range row.push(n) {
				e.add(p, now)
			}
			now = now.Add(2 * time.Second)
		}
		if got := e.several(now); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		if got := e.several(now.Add(2 * signsLast)); got != "" {
			t.Errorf("%s, later: %q", name, got)
		}
	}
}

func segmentOf(n int, content byte, from string) pushed {
	p := pushed{number: core.SegmentNumber(n), from: from}
	p.hash.Sum[0], p.hash.Sum[1] = byte(n), content
	return p
}
