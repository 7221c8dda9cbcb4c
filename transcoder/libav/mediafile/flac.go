package mediafile

// flac is FLAC with what its stream's header says (RFC 9639).
type flac struct{ rate int }

// newFLAC reads STREAMINFO, with or without what containers put before it.
func newFLAC(s *SoundStream) *flac {
	extra := s.Extra
	if len(extra) >= 8 && string(extra[:4]) == "fLaC" {
		extra = extra[8:]
	}
	if len(extra) < 34 {
		return &flac{}
	}
	return &flac{rate: int(extra[10])<<12 | int(extra[11])<<4 | int(extra[12])>>4}
}

// count counts the frames of a packet by their headers. Decoders play all that a packet
// holds, and a frame does not say where it ends.
func (f *flac) count(p []byte) (samples, rate int) {
	for i := 0; i+5 < len(p); i++ {
		if p[i] != 0xff || p[i+1]&0xfe != 0xf8 {
			continue
		}
		n, r, size := f.frame(p[i:])
		if n == 0 {
			continue
		}
		if rate == 0 {
			rate = r
		}
		if r > 0 && rate > 0 {
			n = int(int64(n) * int64(rate) / int64(r))
		}
		samples += n
		i += size
	}
	return samples, rate
}

// flacRates are the sample rates by their code. Read-only.
var flacRates = [12]int{0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000}

// frame reads a frame's header; no samples where there is none, which its check tells.
func (f *flac) frame(p []byte) (samples, rate, size int) {
	block, code := int(p[2]>>4), int(p[2]&15)
	if block == 0 || code == 15 || p[3]&1 != 0 || p[3]>>4 > 10 {
		return 0, 0, 0
	}
	at := 4 + numberSize(p[4])
	if at == 4 {
		return 0, 0, 0
	}
	number := func(n int) (v int) {
		for range n {
			if at < len(p) {
				v = v<<8 | int(p[at])
			}
			at++
		}
		return v
	}
	switch {
	case block == 1:
		samples = 192
	case block < 6:
		samples = 144 << block
	case block == 6:
		samples = number(1) + 1
	case block == 7:
		samples = number(2) + 1
	default:
		samples = 1 << block
	}
	switch {
	case code == 0:
		rate = f.rate
	case code < 12:
		rate = flacRates[code]
	case code == 12:
		rate = 1000 * number(1)
	case code == 13:
		rate = number(2)
	default:
		rate = 10 * number(2)
	}
	if at >= len(p) || crc8(p[:at]) != p[at] {
		return 0, 0, 0
	}
	return samples, rate, at
}

// numberSize returns how many bytes a frame's number has, by the first; 0 is none.
func numberSize(first byte) int {
	switch {
	case first < 0x80:
		return 1
	case first < 0xc0 || first == 0xff:
		return 0
	}
	n := 0
	for first&0x80 != 0 {
		n++
		first <<= 1
	}
	return n
}

// crc8 returns the check of a frame's header, with the polynomial x^8 + x^2 + x + 1.
func crc8(p []byte) (crc byte) {
	for _, b := range p {
		crc ^= b
		for range 8 {
			if crc&0x80 != 0 {
				crc = crc<<1 ^ 7
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
