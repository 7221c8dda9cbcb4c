package payments

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// disrupt does one thing after another to nodes and chain until the time is over,
// and leaves the chain healthy.
func (w *world) disrupt(rng *rand.Rand, length time.Duration) map[string]int {
	w.Helper()
	counts := map[string]int{}
	for end := time.Now().Add(length); time.Now().Before(end); {
		name := w.disruptOnce(rng)
		counts[name]++
		pause(w.Context(), time.Duration(500+rng.IntN(2500))*time.Millisecond)
	}
	w.restore()
	return counts
}

func (w *world) disruptOnce(rng *rand.Rand) string {
	w.Helper()
	all := w.parties()
	p := all[rng.IntN(len(all))]
	switch n := rng.IntN(100); {
	case n < 20:
		p.restart(false)
		return "restarts"
	case n < 40:
		p.restart(true)
		return "kills"
	case n < 65:
		kinds := []control.Kind{control.HTTP429, control.HTTP500, control.Hang, control.Reset, control.HalfJSON, control.Lag,
			control.EmptyLogs, control.StaleReceipts, control.None}
		f := control.Fault{Kind: kinds[rng.IntN(len(kinds))], Blocks: 5, Times: uint64(1 + rng.IntN(40)), Probability: 0.5}
		w.must(w.chain.Control.SetFaults(w.Context(), rng.IntN(3), f))
		return "endpoint faults"
	case n < 85:
		_, err := w.chain.Control.Reorg(w.Context(), control.Reorg{Depth: uint64(1 + rng.IntN(12)), Forget: rng.IntN(2) == 0})
		w.must(err)
		return "reorganizations"
	default:
		w.must(w.chain.Control.SpikeBaseFee(w.Context(), core.NewWei(uint64(100_000+rng.IntN(10_000_000))),
			uint64(5+rng.IntN(30))))
		return "fee spikes"
	}
}

func (w *world) restore() {
	w.Helper()
	for i := range 3 {
		w.must(w.chain.Control.SetFaults(w.Context(), i, control.Fault{Kind: control.None}))
	}
}

func (w *world) round() string {
	w.Helper()
	r, err := w.chain.Control.Round(w.Context())
	w.must(err)
	return fmt.Sprintf("round %d, L1 block %d", r.Round, r.L1Block)
}
