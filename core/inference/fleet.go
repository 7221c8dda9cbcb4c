package inference

// Fleet is several workers as one.
type Fleet struct {
	members []Worker
}

var _ Worker = (*Fleet)(nil)

// NewFleet joins workers. Where several are equally good the one named first is taken.
func NewFleet(members ...Worker) *Fleet {
	return &Fleet{members: append([]Worker(nil), members...)}
}

// Models tells every model's state: in the order of the members, each model once.
func (f *Fleet) Models() []ModelState {
	if len(f.members) == 1 {
		return f.members[0].Models()
	}
	var out []ModelState
	at := make(map[Model]int)
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
