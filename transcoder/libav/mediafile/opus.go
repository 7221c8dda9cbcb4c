package mediafile

import opuscodec "github.com/bluenviron/mediacommon/v2/pkg/codecs/opus"

const (
	// opusRate is what Opus counts in, whatever was put into it (RFC 6716).
	opusRate = 48_000
	// opusMost is the longest packet, 120 ms. A packet may claim more.
	opusMost = opusRate * 120 / 1000
)

// opus reads the first bytes of a packet, which say how long its frames are, and how many
// there are. Of several streams in one packet the first has the same length as all.
func opus(p []byte) (samples, rate int) {
	if samples = min(int(opuscodec.PacketDuration2(p)), opusMost); samples == 0 {
		return 0, 0
	}
	return samples, opusRate
}
