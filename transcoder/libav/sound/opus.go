package sound

// opusRate is what Opus counts in, whatever was put into it (RFC 6716).
const opusRate = 48_000

// opusMost is the longest packet, 120 ms.
const opusMost = opusRate * 120 / 1000

// opus reads the first byte of a packet, which says how long its frames are, and how many
// there are. Of several streams in one packet the first has the same length as all.
func opus(p []byte) (samples, rate int) {
	if len(p) == 0 {
		return 0, 0
	}
	frames := 1
	switch p[0] & 3 {
	case 1, 2:
		frames = 2
	case 3:
		if len(p) < 2 {
			return 0, 0
		}
		frames = int(p[1] & 63)
	}
	return min(frames*opusFrame(int(p[0]>>3)), opusMost), opusRate
}

// opusFrame is how many samples a frame of a configuration has.
func opusFrame(config int) int {
	const ms = opusRate / 1000
	switch {
	case config < 12:
		return [4]int{10 * ms, 20 * ms, 40 * ms, 60 * ms}[config&3]
	case config < 16:
		return [2]int{10 * ms, 20 * ms}[config&1]
	}
	return [4]int{ms * 5 / 2, 5 * ms, 10 * ms, 20 * ms}[config&3]
}
