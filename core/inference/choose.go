package inference

import (
	"cmp"
	"slices"
)

// candidate is a member that has the model, as it is at the moment.
type candidate struct {
	member int
	state  ModelState
}

// candidates returns the members that have the model, the best first: those with the model loaded and a
// free slot, by load; then the others with it loaded; then those that are loading it, and at last
// those that would have to start it.
func (f *Fleet) candidates(model Model, skip map[int]bool) []candidate {
	var out []candidate
	for i, m := range f.members {
		if skip[i] {
			continue
		}
		states := m.Models()
		for j := range states {
			if states[j].Model == model {
				out = append(out, candidate{i, states[j]})
				break
			}
		}
	}
	slices.SortStableFunc(out, better)
	return out
}

func better(a, b candidate) int {
	switch {
	case closerToReady(&a.state, &b.state):
		return -1
	case closerToReady(&b.state, &a.state):
		return 1
	}
	if c := cmp.Compare(full(&a.state), full(&b.state)); c != 0 {
		return c
	}
	return cmp.Compare(load(&a.state), load(&b.state))
}

// free reports whether another member than one has the model loaded and a free slot.
func (f *Fleet) free(model Model, but int) bool {
	for _, c := range warm(f.candidates(model, map[int]bool{but: true})) {
		if full(&c.state) == 0 {
			return true
		}
	}
	return false
}

// full is 1 for a member without a free slot.
func full(s *ModelState) int {
	if s.Waiting > 0 || s.InUse >= s.Capacity {
		return 1
	}
	return 0
}

// load returns the used part of its slots, including waiting jobs.
func load(s *ModelState) float64 {
	return float64(s.InUse+s.Waiting) / float64(max(1, s.Capacity))
}

// warm returns the candidates that have the model loaded: while there are any, no other gets the request,
// because it would load the model once more.
func warm(all []candidate) []candidate {
	n := 0
	for n < len(all) && all[n].state.State == Ready {
		n++
	}
	return all[:n]
}
