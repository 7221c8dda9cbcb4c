package sound

// aacRates are the sample rates by their index.
var aacRates = [13]int{96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
	7350}

// aac is AAC with its configuration: how many samples of the core a packet has, and at
// which rate. Spectral band replication doubles both, and so changes nothing.
type aac struct{ samples, rate int }

func newAAC(s *Stream) *aac {
	a := &aac{samples: max(1024, s.FrameSize), rate: 0}
	if len(s.Extra) < 2 {
		return a
	}
	b := &bitReader{data: s.Extra}
	object := aacObject(b)
	rate := aacRate(b)
	b.read(4) // channels
	if object == 5 || object == 29 {
		aacRate(b) // that of the doubled sound
		object = aacObject(b)
	}
	short := b.read(1) == 1
	if rate == 0 || b.over() {
		return a
	}
	a.rate, a.samples = rate, 1024
	switch {
	case object == 42: // USAC: the longest frame, of up to four times the core
		a.samples = 4096
	case object == 23 || object == 39:
		a.samples = 512
	}
	if short {
		a.samples = a.samples * 15 / 16
	}
	return a
}

func aacObject(b *bitReader) uint32 {
	if object := b.read(5); object != 31 {
		return object
	}
	return 32 + b.read(6)
}

func aacRate(b *bitReader) int {
	i := b.read(4)
	switch {
	case i == 15:
		return int(b.read(24))
	case int(i) < len(aacRates):
		return aacRates[i]
	}
	return 0
}

// count reads a packet: frames behind headers of their own (ADTS), or one frame.
func (a *aac) count(p []byte) (samples, rate int) {
	for adts(p) {
		samples += 1024 * (1 + int(p[6]&3))
		if i := int(p[2]>>2) & 15; rate == 0 && i < len(aacRates) {
			rate = aacRates[i]
		}
		size := int(p[3]&3)<<11 | int(p[4])<<3 | int(p[5])>>5
		if size < 7 || size > len(p) {
			break
		}
		p = p[size:]
	}
	if samples > 0 {
		return samples, rate
	}
	if len(p) == 0 {
		return 0, 0
	}
	return a.samples, a.rate
}

func adts(p []byte) bool { return len(p) >= 7 && p[0] == 0xff && p[1]&0xf6 == 0xf0 }
