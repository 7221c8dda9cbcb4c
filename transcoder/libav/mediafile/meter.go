package mediafile

import "strings"

// SoundStream is what a container says of a stream of sound.
type SoundStream struct {
	// Codec goes by libav's name, "opus".
	Codec string
	// Extra is the codec's configuration.
	Extra []byte
	// Rate is in samples per second, Channels and FrameSize as libav found them; 0 is
	// not known. They count only where the codec's own bytes do not say.
	Rate, Channels, FrameSize int
}

// SoundMeter adds up for how long the packets of one stream play. It is for one goroutine.
type SoundMeter struct {
	count counter
	// rate is what samples are counted at, top the most bytes of a second.
	rate, top float64
	// seconds are those that were counted, unmeasured the bytes of packets that say nothing,
	// and bytes those of all.
	seconds           float64
	unmeasured, bytes int64
}

// counter is what is known of a codec: how many samples a packet has, at which rate; 0
// is for a packet that cannot be read. rate 0 is the stream's.
type counter func(packet []byte) (samples, rate int)

// NewSoundMeter makes a Meter, nil for a codec whose packets do not tell their length: such
// sound cannot be measured.
func NewSoundMeter(s SoundStream) *SoundMeter {
	s.Rate = clamp(s.Rate, 8000, 768_000, 48_000)
	s.Channels = clamp(s.Channels, 1, 64, 2)
	count, top := codec(&s)
	if count == nil {
		return nil
	}
	return &SoundMeter{count: count, rate: float64(s.Rate), top: top}
}

// clamp returns a number within bounds, otherwise for one that is not known.
func clamp(n, least, most, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return min(max(n, least), most)
}

// codec finds what is known of a stream's codec, nil for nothing, and the most bytes that
// a second of it has: some times what encoders make.
func codec(s *SoundStream) (counter, float64) {
	channels := float64(s.Channels)
	switch {
	case s.Codec == "opus":
		return opus, 64_000 * channels
	case s.Codec == "vorbis":
		return newVorbis(s).count, 64_000 * channels
	case s.Codec == "aac":
		return newAAC(s).count, 72_000 * channels
	case s.Codec == "aac_latm":
		return (&latm{}).count, 72_000 * channels
	case s.Codec == "flac":
		return newFLAC(s).count, 4 * channels * float64(s.Rate)
	case s.Codec == "alac":
		return newALAC(s).count, 4 * channels * float64(s.Rate)
	case s.Codec == "mp1" || s.Codec == "mp2" || s.Codec == "mp3":
		return mpeg, 56_000
	case s.Codec == "ac3" || s.Codec == "eac3":
		return dolby, 800_000
	case s.Codec == "amr_nb":
		return fixed(160, 8000), 2000
	case s.Codec == "amr_wb":
		return fixed(320, 16_000), 4000
	case strings.HasPrefix(s.Codec, "pcm_"):
		bits := pcmBits(s.Codec)
		return func(p []byte) (int, int) { return len(p) * 8 / (bits * s.Channels), 0 },
			channels * float64(s.Rate*bits) / 8
	}
	return nil, 0
}

// fixed returns a codec whose packets all have one length.
func fixed(samples, rate int) counter { return func([]byte) (int, int) { return samples, rate } }

// pcmBits returns how many bits a sample has: the number in the codec's name.
func pcmBits(codec string) int {
	bits := 0
	for _, c := range codec {
		switch {
		case c >= '0' && c <= '9' && bits < 100:
			bits = 10*bits + int(c-'0')
		case bits > 0:
			return bits
		}
	}
	if bits == 0 {
		return 8 // pcm_alaw, pcm_mulaw, pcm_vidc
	}
	return bits
}

// Add counts a packet.
func (m *SoundMeter) Add(packet []byte) {
	m.bytes += int64(len(packet))
	samples, rate := m.count(packet)
	switch {
	case samples <= 0:
		m.unmeasured += int64(len(packet))
	case rate > 0:
		m.seconds += float64(samples) / float64(rate)
	default:
		m.seconds += float64(samples) / m.rate
	}
}

// Seconds returns for how long the packets play.
func (m *SoundMeter) Seconds() float64 {
	return max(m.seconds+float64(m.unmeasured)/m.top, float64(m.bytes)/m.top)
}
