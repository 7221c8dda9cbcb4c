package airouting_test

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/airouting"
)

// Whatever happens, no orchestrator is picked that must not be, what is in flight is counted
// exactly, and a table with a usable orchestrator picks one in bounded time.
func TestTableProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := airouting.NewTable(airouting.Options{
			Rand: source(rapid.Uint64().Draw(t, "seed")), Memory: airouting.NewMemory(8), Name: "m",
		})
		now := t0
		offers := map[string]airouting.Offer{}
		inFlight := map[string]int{}
		var leases []*airouting.Lease
		uris := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				o := airouting.Offer{
					URI: uris.Draw(t, "uri"), Warm: rapid.Bool().Draw(t, "warm"), Own: rapid.Bool().Draw(t, "own"),
					Capacity: rapid.IntRange(0, 3).Draw(t, "capacity"), Price: big.NewRat(rapid.Int64Range(0, 3).Draw(t, "price"), 1),
				}
				table.Put(o)
				offers[o.URI] = o
			},
			"remove": func(t *rapid.T) {
				uri := uris.Draw(t, "uri")
				table.Remove(uri)
				delete(offers, uri)
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 70_000).Draw(t, "ms")) * ms)
			},
			"pick": func(t *rapid.T) {
				q := airouting.Query{
					Affinity: rapid.SliceOfN(rapid.Uint64Range(0, 9), 0, 4).Draw(t, "affinity"),
					Tried:    rapid.SliceOfN(uris, 0, 3).Draw(t, "tried"),
					Kind:     airouting.Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
				}
				if rapid.Bool().Draw(t, "capped") {
					q.MaxPrice = big.NewRat(rapid.Int64Range(1, 3).Draw(t, "most"), 1)
				}
				l, v := table.Pick(now, q)
				if (l == nil) == (v == airouting.Picked) {
					t.Fatalf("lease %v, verdict %d", l, v)
				}
				if l == nil {
					return
				}
				o, known := offers[l.URI()]
				switch {
				case !known, slices.Contains(q.Tried, l.URI()):
					t.Fatalf("%s is out of the choice", l.URI())
				case q.Kind == airouting.OwnOnly && !o.Own:
					t.Fatalf("%s is not of our kind", l.URI())
				case q.MaxPrice != nil && o.Price.Cmp(q.MaxPrice) > 0:
					t.Fatalf("%s costs too much", l.URI())
				}
				inFlight[l.URI()]++
				leases = append(leases, l)
			},
			"first byte": func(t *rapid.T) {
				if len(leases) > 0 {
					rapid.SampledFrom(leases).Draw(t, "lease").FirstByte(now)
				}
			},
			"done": func(t *rapid.T) {
				if len(leases) == 0 {
					return
				}
				i := rapid.IntRange(0, len(leases)-1).Draw(t, "lease")
				leases[i].Done(now, airouting.Outcome(rapid.IntRange(0, 6).Draw(t, "outcome")))
				inFlight[leases[i].URI()]--
				leases = slices.Delete(leases, i, i+1)
			},
			"": func(t *rapid.T) {
				if table.Len() != len(offers) {
					t.Fatalf("%d in the choice, want %d", table.Len(), len(offers))
				}
				for _, s := range table.Statuses(now) {
					if s.InFlight != inFlight[s.Offer.URI] {
						t.Fatalf("%s has %d in flight, want %d", s.Offer.URI, s.InFlight, inFlight[s.Offer.URI])
					}
					if s.Resting.Sub(now) > time.Minute {
						t.Fatalf("%s rests for %v", s.Offer.URI, s.Resting.Sub(now))
					}
				}
				if len(leases) == 0 && len(offers) > 0 {
					l, v := table.Pick(now.Add(time.Second), airouting.Query{})
					if l == nil {
						t.Fatalf("nothing is in flight and no orchestrator can be asked: verdict %d", v)
					}
					l.Done(now, airouting.Abandoned)
				}
			},
		})
	})
}
