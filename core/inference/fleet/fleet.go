package fleet

import "github.com/tuttinode/tutti/core/inference"

// Fleet is several workers as one.
type Fleet struct {
	members []inference.Worker
}

var _ inference.Worker = (*Fleet)(nil)

// New joins workers. Where several are equally good the one named first is taken.
func New(members ...inference.Worker) *Fleet {
	return &Fleet{members: append([]inference.Worker(nil), members...)}
}

// Models tells every model's state: in the order of the members, each model once.
func (f *Fleet) Models() []inference.ModelState {
	if len(f.members) == 1 {
		return f.members[0].Models()
	}
	var out []inference.ModelState
	at := make(map[inference.Model]int)
	for _, m := range f.members {
		states := m.Models()
		for i := range states {
			s := &states[i]
			if j, known := at[s.Model]; known {
				merge(&out[j], s)
				continue
			}
			at[s.Model] = len(out)
			out = append(out, *s)
		}
	}
	return out
}
