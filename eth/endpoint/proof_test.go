package endpoint

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// What two equal answers prove depends on how many endpoints are in use: more than half
// of those must answer alike, and at least two.
func TestProofIsAMajorityOfThoseInUse(t *testing.T) {
	t.Parallel()
	const lie = "0x666666"
	slow := voteGrace + 500*time.Millisecond
	for name, tt := range map[string]struct {
		liars, honest, slow, dead int
		// want is the answer: true, false, or "" for a refusal to say.
		want string
	}{
		"two liars are fast and four slow":    {liars: 2, slow: 4, want: "true"},
		"two liars are fast and three slow":   {liars: 2, slow: 3, want: "true"},
		"two of four lie":                     {liars: 2, honest: 2},
		"one of four lies":                    {liars: 1, honest: 3, want: "true"},
		"three of six lie":                    {liars: 3, honest: 3},
		"two of six lie":                      {liars: 2, honest: 4, want: "true"},
		"two are left of six":                 {honest: 2, dead: 4, want: "true"},
		"one is left of six":                  {honest: 1, dead: 5},
		"one of three is left next to a liar": {liars: 1, honest: 1, dead: 1},
		"one of five is dead and one is slow": {honest: 3, slow: 1, dead: 1, want: "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var nodes []*fakeNode
			add := func(n int, change func(*fakeNode)) {
				for range n {
					f := newFakeNode(t)
					change(f)
					nodes = append(nodes, f)
				}
			}
			add(tt.liars, func(n *fakeNode) { n.answers["eth_call"] = gives(lie) })
			add(tt.honest, func(*fakeNode) {})
			add(tt.slow, func(n *fakeNode) { n.answers["eth_call"] = later(t, slow, "0x2a") })
			add(tt.dead, func(n *fakeNode) { n.whole = broken })
			p := poolOf(t, func(o *Options) { o.CallTimeout = 10 * time.Second }, nodes...)
			if _, err := p.Head(t.Context()); err != nil {
				t.Fatal(err)
			}
			out, err := p.Majority().CallBatch(t.Context(), 1000, calls(1))
			got := ""
			if err == nil {
				got = map[bool]string{true: "true", false: "false"}[string(out[0].Data) == "\x2a"]
			}
			if got != tt.want || err != nil && !errors.Is(err, fault.ChainDisputed) {
				t.Errorf("%q %v, want %q", got, err, tt.want)
			}
		})
	}
}
