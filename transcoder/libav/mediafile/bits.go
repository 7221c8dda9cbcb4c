package mediafile

// bitReader reads bits from the highest of each byte on. Past the end there are zeros, and
// over is true.
type bitReader struct {
	data []byte
	at   int
}

func (b *bitReader) read(n int) (v uint32) {
	for range n {
		v <<= 1
		if i := b.at >> 3; i < len(b.data) {
			v |= uint32(b.data[i]>>(7-b.at&7)) & 1
		}
		b.at++
	}
	return v
}

func (b *bitReader) over() bool { return b.at > 8*len(b.data) }
