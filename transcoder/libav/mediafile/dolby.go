package mediafile

// dolbyRates are the sample rates of AC-3 by their index. Read-only.
var dolbyRates = [3]int{48_000, 44_100, 32_000}

// dolby counts a packet of AC-3 or E-AC-3: frames of up to six blocks of 256 samples.
func dolby(p []byte) (samples, rate int) {
	for len(p) >= 6 && p[0] == 0x0b && p[1] == 0x77 {
		n, r, size := dolbyFrame(p)
		if n == 0 {
			break
		}
		if rate == 0 {
			rate = r
		}
		samples += n * rate / r
		if size < 6 || size >= len(p) {
			break
		}
		p = p[size:]
	}
	return samples, rate
}

func dolbyFrame(p []byte) (samples, rate, size int) {
	code := int(p[4] >> 6)
	if p[5]>>3 <= 10 { // AC-3
		if code == 3 {
			return 0, 0, 0
		}
		return 1536, dolbyRates[code], 0
	}
	size = 2 * (1 + (int(p[2]&7)<<8 | int(p[3])))
	blocks := [4]int{1, 2, 3, 6}[p[4]>>4&3]
	if p[2]>>6 == 1 {
		return 1, 48_000, size // a dependent stream plays together with the one before
	}
	if code == 3 {
		half := int(p[4] >> 4 & 3)
		if half == 3 {
			return 0, 0, 0
		}
		return 1536, dolbyRates[half] / 2, size
	}
	return 256 * blocks, dolbyRates[code], size
}
