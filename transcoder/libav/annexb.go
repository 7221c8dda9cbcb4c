package libav

// H.264 NAL units that matter here.
const (
	nalIDR  = 5
	nalMask = 0x1f
)

// hasIDR reports whether an H.264 packet restarts decoding: not every packet
// that a container calls a key frame does. Packets are in Annex B form, or, where
// lengthSize is above 0, have each unit's length in so many bytes before it.
func hasIDR(p []byte, lengthSize int) bool {
	if lengthSize > 0 {
		return lengthsHaveIDR(p, lengthSize)
	}
	for i := 0; i+3 < len(p); i++ {
		if p[i] == 0 && p[i+1] == 0 && p[i+2] == 1 && p[i+3]&nalMask == nalIDR {
			return true
		}
	}
	return false
}

func lengthsHaveIDR(p []byte, lengthSize int) bool {
	for len(p) > lengthSize {
		n := 0
		for _, b := range p[:lengthSize] {
			n = n<<8 | int(b)
		}
		p = p[lengthSize:]
		if p[0]&nalMask == nalIDR {
			return true
		}
		if n <= 0 || n > len(p) {
			return false
		}
		p = p[n:]
	}
	return false
}

// lengthSize returns how many bytes state a unit's length in packets of a stream with
// these headers, 0 when its packets are in Annex B form.
func lengthSize(extradata []byte) int {
	if len(extradata) < 7 || extradata[0] != 1 {
		return 0
	}
	return int(extradata[4]&3) + 1
}
