package mediafile

// aacRates are the sample rates by their index. Read-only.
var aacRates = [13]int{96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
	7350}

// aac is AAC with its configuration: how many samples of the core a packet has, and at
// which rate. Spectral band replication doubles both, and so changes nothing.
type aac struct{ samples, rate int }

// Kinds of AAC by their number in a configuration (ISO/IEC 14496-3).
const (
	aacReplicated, aacParametric = 5, 29 // the core's kind follows
	aacLowDelay, aacEnhancedLow  = 23, 39
	aacUnified                   = 42 // USAC, as in xHE-AAC
)

func newAAC(s *SoundStream) *aac {
	a := &aac{samples: max(1024, s.FrameSize), rate: 0}
	if c, ok := readAAC(&bitReader{data: s.Extra}); ok {
		return c
	}
	return a
}

// readAAC reads a configuration, false where it says no rate.
func readAAC(b *bitReader) (*aac, bool) {
	object := aacObject(b)
	rate := aacRate(b)
	b.read(4) // channels
	if object == aacReplicated || object == aacParametric {
		aacRate(b) // that of the doubled sound
		object = aacObject(b)
	}
	a := &aac{samples: 1024, rate: rate}
	switch object {
	case aacUnified:
		a.readUnified(b)
	case aacLowDelay, aacEnhancedLow:
		a.samples = 512
		fallthrough
	default:
		if b.read(1) == 1 { // shorter frames
			a.samples = a.samples * 15 / 16
		}
	}
	return a, a.rate > 0 && !b.over()
}

// usacRates are the sample rates of USAC by their index, 0 where none is defined
// (ISO/IEC 23003-3). Read-only.
var usacRates = [31]int{96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
	7350, 0, 0, 57_600, 51_200, 40_000, 38_400, 34_150, 28_800, 25_600, 20_000, 19_200, 17_075, 14_400, 12_800, 9600}

// usacSamples are how many samples of the sound that is played a frame has. Read-only.
var usacSamples = [5]int{768, 1024, 2048, 2048, 4096}

// readUnified reads how long the frames of USAC play, which has a rate of its own besides
// that of the configuration around it. Players differ in which one they take: the lower
// counts. Where the frames are of no known length it is the longest.
func (a *aac) readUnified(b *bitReader) {
	rate := 0
	if i := b.read(5); i == 31 {
		rate = int(b.read(24))
	} else {
		rate = usacRates[i]
	}
	if rate > 0 && (a.rate == 0 || rate < a.rate) {
		a.rate = rate
	}
	a.samples = usacSamples[len(usacSamples)-1]
	if i := int(b.read(3)); i < len(usacSamples) {
		a.samples = usacSamples[i]
	}
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
