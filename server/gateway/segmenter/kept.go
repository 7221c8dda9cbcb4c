package segmenter

const (
	// maxKept bounds a segment that is kept, in bytes.
	maxKept = 1 << 20
	// maxTargets is how many targets get one segment: it may be what ends them.
	maxTargets = 2
)

// kept is the segment that is being written, for the next target.
type kept struct {
	// used: there was a target, so another one may follow.
	used bool
	// on: data is the segment from its beginning on.
	on   bool
	data []byte
	// targets is how many got it.
	targets int
}

// refusal is why a target takes no more; at is closed then.
type refusal struct {
	err error
	at  chan struct{}
}

// Refused is closed when the present target takes no more; Last says why.
func (s *Segmenter) Refused() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusal.at
}

// takenLocked reports whether there is a target that takes segments.
func (s *Segmenter) takenLocked() bool { return s.to != nil && s.refusal.err == nil }

// refuseLocked gives up the target's segment, and the target.
func (s *Segmenter) refuseLocked(err error) {
	if s.seg != nil {
		s.seg.Drop()
		s.seg = nil
	}
	if s.refusal.err == nil {
		s.refusal.err = err
		close(s.refusal.at)
	}
}

// keepLocked begins to keep a segment, and reports whether it does. taken: a target gets it already.
func (s *Segmenter) keepLocked(taken bool) bool {
	s.kept = kept{used: s.o.Keep > 0, on: s.o.Keep > 0, data: s.kept.data[:0]}
	if taken {
		s.kept.targets = 1
	}
	return s.kept.on
}

// addKeptLocked keeps a further part, and reports whether the segment is still kept: it is not when it is too old or
// too large.
func (s *Segmenter) addKeptLocked(p []byte) bool {
	k := &s.kept
	if !k.on {
		return false
	}
	if s.o.Now().Sub(s.began) > s.o.Keep || len(k.data)+len(p) > maxKept {
		k.on, k.data = false, nil
		return false
	}
	k.data = append(k.data, p...)
	return true
}

// leaveLocked is what is left without a target: the segment, if it is kept.
func (s *Segmenter) leaveLocked() {
	if !s.kept.on {
		s.mux = nil
	}
}

// repeatLocked sends the segment that is kept to a new target, and reports whether there was one for it.
func (s *Segmenter) repeatLocked() bool {
	k := &s.kept
	if !k.on || s.mux == nil || k.targets >= maxTargets || s.o.Now().Sub(s.began) > s.o.Keep {
		s.mux, s.kept = nil, kept{used: s.o.Keep > 0}
		return false
	}
	k.targets++
	if !s.nextLocked() {
		return true // the target is left, and the segment kept
	}
	if _, err := s.seg.Write(k.data); err != nil {
		s.refuseLocked(err)
	}
	return true
}
