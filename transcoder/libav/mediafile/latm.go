package mediafile

// latm is AAC in LOAS, whose configuration is in the packets (ISO/IEC 14496-3, 1.7).
type latm struct {
	// last is the latest configuration, nil before there is one: without, no player plays
	// anything either.
	last *aac
	// frames is how many frames an element has.
	frames int
}

// count reads a packet: elements behind headers of their own, or one element.
func (l *latm) count(p []byte) (samples, rate int) {
	for len(p) >= 3 && p[0] == 0x56 && p[1]&0xe0 == 0xe0 {
		size := 3 + (int(p[1]&31)<<8 | int(p[2]))
		l.element(p[3:min(size, len(p))])
		if l.last != nil {
			if rate == 0 {
				rate = l.last.rate
			}
			samples += int(int64(l.frames*l.last.samples) * int64(rate) / int64(l.last.rate))
		}
		p = p[min(size, len(p)):]
	}
	return samples, rate
}

// element reads the configuration at the beginning of an element, if there is one.
func (l *latm) element(p []byte) {
	b := &bitReader{data: p}
	if b.read(1) == 1 {
		return // as before
	}
	later := b.read(1) == 1
	if later && b.read(1) == 1 {
		return // of an undefined kind
	}
	if later {
		latmValue(b)
	}
	b.read(1)
	frames := int(b.read(6)) + 1
	b.read(4 + 3) // programs, layers
	if later {
		latmValue(b)
	}
	if a, ok := readAAC(b); ok {
		l.last, l.frames = a, frames
	}
}

// latmValue reads a number with its length before it.
func latmValue(b *bitReader) uint32 { return b.read(8 * (int(b.read(2)) + 1)) }
