package price

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// TestFurtherNodesAreNoNewCredit has an orchestrator name a thousand further nodes, and others at the next
// answer, until the gateway has forgotten which were its own. A stream that is at one of them goes on there,
// with a new session and a large ticket for each segment.
func TestFurtherNodesAreNoNewCredit(t *testing.T) {
	t.Parallel()
	const nodes, streams = 1000, 3
	w := newWorld(t, "-extraNodes", fmt.Sprint(nodes))
	var named []string
	answers := 0 // that had the names of nodes
	name := func(first string) {
		w.cheat.with(func() {
			named = append(named[:0], first)
			for len(named) < nodes {
				w.cheat.asked++
				named = append(named, fmt.Sprintf("https://127.7.%d.%d:1", w.cheat.asked>>8&255, w.cheat.asked&255))
			}
		})
	}
	w.cheat.with(func() {
		w.cheat.token = time.Minute
		w.cheat.info = func(asked string, info *rpc.OrchestratorInfo) {
			if info.Transcoder = asked; asked == w.cheat.server.URL {
				info.PriceInfo.PricePerUnit = 1 << 40 // no work comes here
				info.Nodes = append([]string(nil), named...)
				answers++
			}
		}
	})
	asked := func() (n int) {
		w.cheat.with(func() { n = answers })
		return n
	}
	served := func() int {
		_, _, n := w.cheat.books()
		return n
	}
	var films []string
	for i := range streams {
		name(w.cheat.listen().URL)
		// Streams begin elsewhere until the gateway knows of the node.
		before, try := served(), 0
		w.gateway.Wait("a stream at a further node", 30*time.Second, func() bool {
			try++
			_ = w.push(fmt.Sprintf("film%d.%d", i, try), 0)
			return served() > before
		})
		films = append(films, fmt.Sprintf("film%d.%d", i, try))
	}
	for i := range 4 { // each answer has the names of the one before forgotten
		name("https://127.8.0.1:1")
		before := asked()
		w.gateway.Wait("the new names to be read", 30*time.Second, func() bool {
			_ = w.push(fmt.Sprintf("other%d.%d", i, asked()), 0)
			return asked() > before
		})
	}
	w.cheat.with(func() { w.cheat.ev = core.NewWei(largeEV) })
	for n := range rounds(12) {
		for _, film := range films {
			if err := w.push(film, n+1); err != nil {
				t.Errorf("%s, segment %d: %v", film, n+1, err)
			}
		}
	}
	paid, worked, jobs := w.cheat.books()
	t.Logf("paid %.0f gwei for %.3f (%d jobs)", paid, worked, jobs)
	if most := allowed(worked, len(films)); paid > most {
		t.Errorf("paid %.0f gwei for work worth %.3f, at most %.0f may be", paid, worked, most)
	}
	if paid < bound/2 {
		t.Errorf("paid %.0f gwei: it was not tried", paid)
	}
}
