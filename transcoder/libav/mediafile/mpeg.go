package mediafile

// mpegRates are the sample rates of MPEG 1 by their index; MPEG 2 has half, 2.5 a quarter.
// Read-only.
var mpegRates = [3]int{44_100, 48_000, 32_000}

// mpegBitRates are in kbit/s by index: of MPEG 1 layers I, II and III, then of MPEG 2 and
// 2.5, layer I and the two others. Read-only.
var mpegBitRates = [5][15]int{
	{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// mpeg counts the frames of a packet of MPEG audio, each by its header. A packet may hold
// more than one, and decoders play them all.
func mpeg(p []byte) (samples, rate int) {
	for {
		n, r, size := mpegFrame(p)
		if n == 0 {
			return samples, rate
		}
		if rate == 0 {
			rate = r
		}
		samples += n * rate / r
		if size < 4 || size >= len(p) {
			return samples, rate
		}
		p = p[size:]
	}
}

// mpegFrame reads a frame's header; no samples where there is none. A size of 0 is one
// that the header leaves open.
func mpegFrame(p []byte) (samples, rate, size int) {
	if len(p) < 4 || p[0] != 0xff || p[1]&0xe0 != 0xe0 {
		return 0, 0, 0
	}
	version, layer := p[1]>>3&3, 4-int(p[1]>>1&3) // version: 3 is MPEG 1, 2 MPEG 2, 0 MPEG 2.5
	bitrate, index, padding := int(p[2]>>4), int(p[2]>>2&3), int(p[2]>>1&1)
	if version == 1 || layer == 4 || bitrate == 15 || index == 3 {
		return 0, 0, 0
	}
	rate = mpegRates[index]
	table := layer - 1
	switch version {
	case 2:
		rate, table = rate/2, 3+min(1, layer-1)
	case 0:
		rate, table = rate/4, 3+min(1, layer-1)
	}
	kbits := mpegBitRates[table][bitrate]
	switch {
	case layer == 1:
		return 384, rate, 4 * (12_000*kbits/rate + padding)
	case layer == 3 && version != 3:
		return 576, rate, 72_000*kbits/rate + padding
	}
	return 1152, rate, 144_000*kbits/rate + padding
}
