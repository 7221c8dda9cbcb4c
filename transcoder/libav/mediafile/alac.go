package mediafile

import "encoding/binary"

// alac is ALAC with its configuration: how many samples a packet has at most.
type alac struct{ samples, rate int }

func newALAC(s *SoundStream) *alac {
	extra := s.Extra
	if len(extra) >= 36 && string(extra[4:8]) == "alac" {
		extra = extra[12:] // the atom's header
	}
	a := &alac{samples: 4096}
	if len(extra) < 24 {
		return a
	}
	if n := binary.BigEndian.Uint32(extra); n > 0 && n <= 1<<20 {
		a.samples = int(n)
	}
	// Of the container's rate and the codec's the lower counts: players differ.
	if r := binary.BigEndian.Uint32(extra[20:]); r >= 1000 && r < uint32(s.Rate) {
		a.rate = int(r)
	}
	return a
}

// count reads a packet: one frame, which says how many samples it has where that is not
// the usual number.
func (a *alac) count(p []byte) (samples, rate int) {
	if len(p) == 0 {
		return 0, 0
	}
	b := &bitReader{data: p}
	b.read(3 + 4 + 12) // what it is, whose, nothing
	sized := b.read(1) == 1
	b.read(3)
	if sized {
		if n := int(b.read(32)); !b.over() && n > 0 && n <= a.samples {
			return n, a.rate
		}
	}
	return a.samples, a.rate
}
