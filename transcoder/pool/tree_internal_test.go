package pool

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTreeFindsWhatALookAtAllWouldFind compares the tree with a list, whatever devices
// come, go and change.
func TestTreeFindsWhatALookAtAllWouldFind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tr tree
		ranks := make(map[*poolDevice]rank)
		slots := make(map[*poolDevice]int)
		var order []*poolDevice
		turn := uint64(0)
		some := rapid.Custom(func(t *rapid.T) rank {
			if rapid.IntRange(0, 4).Draw(t, "shut") == 0 {
				return unavailable
			}
			turn++
			return rank{
				key: float64(rapid.IntRange(0, 5).Draw(t, "key")), turn: turn,
				load: float64(rapid.IntRange(-1, 5).Draw(t, "load")), renditions: rapid.IntRange(1, 5).Draw(t, "renditions"),
			}
		})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch {
			case len(order) == 0 || rapid.Bool().Draw(t, "add"):
				d := &poolDevice{}
				slots[d] = tr.add(d)
				order = append(order, d)
				ranks[d] = some.Draw(t, "rank")
				tr.set(slots[d], ranks[d])
			case rapid.Bool().Draw(t, "change"):
				d := order[rapid.IntRange(0, len(order)-1).Draw(t, "which")]
				ranks[d] = some.Draw(t, "rank")
				tr.set(slots[d], ranks[d])
			default:
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				d := order[i]
				tr.remove(slots[d])
				delete(ranks, d)
				order = append(order[:i], order[i+1:]...)
			}
			s := search{
				load: float64(rapid.IntRange(0, 5).Draw(t, "want load")), renditions: rapid.IntRange(1, 5).Draw(t,
					"want renditions"),
				ignoreLoad: rapid.Bool().Draw(t, "soft"),
			}
			if len(order) > 0 && rapid.Bool().Draw(t, "skip") {
				s.skip = []*poolDevice{order[0]}
			}
			want := first(ranks, &s)
			if tr.find(&s); s.found != want {
				t.Fatalf("found %+v, want %+v", ranks[s.found], ranks[want])
			}
		}
	})
}

// first looks at all.
func first(ranks map[*poolDevice]rank, s *search) *poolDevice {
	var best *poolDevice
	for d, r := range ranks {
		if !s.fits(&r) || len(s.skip) > 0 && s.skip[0] == d {
			continue
		}
		if before := ranks[best]; best == nil || r.before(&before) {
			best = d
		}
	}
	return best
}
