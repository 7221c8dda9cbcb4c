package verify

import "github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"

// Bits reads a bit stream without emulation prevention. Reads past the end give
// zeros and Over. The zero value is an empty stream.
type Bits struct {
	b   []byte
	pos int
	bad bool
}

// NewBits reads the payload of a NAL unit: emulation prevention is taken out, of
// at most the first limit bytes. The stream shares no memory with the unit.
func NewBits(payload []byte, limit int) Bits {
	return Bits{b: h264.EmulationPreventionRemove(payload[:min(len(payload), limit)])}
}

// Over reports whether more was read than there is, or a code that is none.
func (r *Bits) Over() bool { return r.bad || r.pos > 8*len(r.b) }

// U returns an unsigned number of n bits, at most 64.
func (r *Bits) U(n int) uint {
	var v uint
	for range n {
		v <<= 1
		if i := r.pos / 8; i < len(r.b) {
			v |= uint(r.b[i]>>(7-r.pos%8)) & 1
		}
		r.pos++
	}
	return v
}

// Flag is one bit.
func (r *Bits) Flag() bool { return r.U(1) == 1 }

// Skip passes over n bits.
func (r *Bits) Skip(n int) { r.pos += n }

// UE returns an unsigned Exp-Golomb code.
func (r *Bits) UE() uint {
	zeros := 0
	for r.U(1) == 0 {
		if zeros++; zeros > 31 || r.Over() {
			r.bad = true
			return 0
		}
	}
	return 1<<zeros - 1 + r.U(zeros)
}

// SE returns a signed one.
func (r *Bits) SE() int {
	k := int(r.UE())
	if k%2 == 1 {
		return k/2 + 1
	}
	return -k / 2
}
