package verify

// decodingTime returns the decoding timestamp of the access unit that begins in a PES
// packet, in ticks of 90 kHz. A header with a presentation timestamp alone has the same
// decoding timestamp; ok is false without either.
func decodingTime(b []byte) (ticks uint64, ok bool) {
	const pts, dts, size = 9, 14, 5
	if len(b) < pts || b[0] != 0 || b[1] != 0 || b[2] != 1 || b[7]&0x80 == 0 {
		return 0, false
	}
	at := pts
	if b[7]&0x40 != 0 {
		at = dts
	}
	if len(b) < at+size {
		return 0, false
	}
	t := b[at:]
	return uint64(t[0]>>1&7)<<30 | uint64(t[1])<<22 | uint64(t[2]>>1)<<15 | uint64(t[3])<<7 | uint64(t[4]>>1), true
}
