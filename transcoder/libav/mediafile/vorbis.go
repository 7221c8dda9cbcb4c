package mediafile

import (
	"encoding/binary"
	"math/bits"
)

// vorbis is Vorbis with what its headers say: the lengths of short and long blocks, and
// which modes have long ones. Without modes every block counts as a long one.
type vorbis struct {
	rate  int
	block [2]int
	long  []bool
	// last is the length of the block before.
	last int
}

func newVorbis(s *SoundStream) *vorbis {
	v := &vorbis{block: [2]int{8192, 8192}}
	headers := xiphHeaders(s.Extra)
	if headers == nil || len(headers[0]) < 30 {
		return v
	}
	id := headers[0]
	short, long := int(id[28]&15), int(id[28]>>4)
	if short < 6 || long > 13 || short > long {
		return v
	}
	v.block = [2]int{1 << short, 1 << long}
	if r := binary.LittleEndian.Uint32(id[12:]); r >= 1000 && r <= 768_000 {
		v.rate = int(r)
	}
	v.long = vorbisModes(headers[2])
	return v
}

// xiphHeaders parts a codec's three headers: each behind its length, or behind a list of
// the first two lengths.
func xiphHeaders(extra []byte) [][]byte {
	var out [][]byte
	if len(extra) > 2 && extra[0] == 0 && extra[1] == 30 {
		for range 3 {
			if len(extra) < 2 {
				return nil
			}
			n := int(extra[0])<<8 | int(extra[1])
			if n > len(extra)-2 {
				return nil
			}
			out, extra = append(out, extra[2:2+n]), extra[2+n:]
		}
		return out
	}
	if len(extra) < 3 || extra[0] != 2 {
		return nil
	}
	at := 1
	var sizes [2]int
	for i := range sizes {
		for at < len(extra) && extra[at] == 255 {
			sizes[i] += 255
			at++
		}
		if at >= len(extra) {
			return nil
		}
		sizes[i] += int(extra[at])
		at++
	}
	rest := extra[at:]
	if sizes[0]+sizes[1] > len(rest) {
		return nil
	}
	return [][]byte{rest[:sizes[0]], rest[sizes[0] : sizes[0]+sizes[1]], rest[sizes[0]+sizes[1]:]}
}

// vorbisModes reads the modes at the end of the setup header, from its last bit on: what
// is before them has no length of its own. They are found where their number, which
// stands before them, fits; nil where it nowhere does.
func vorbisModes(setup []byte) []bool {
	const mode, most = 41, 64
	at := 8*len(setup) - 1
	bit := func(i int) int {
		if i < 0 {
			return 0
		}
		return int(setup[i>>3]>>(i&7)) & 1
	}
	for at > 0 && bit(at) == 0 {
		at--
	}
	end := at // the framing bit
	var found []bool
	for n := 1; n <= most && end-n*mode >= 6; n++ {
		first := end - n*mode
		if !plainMode(bit, first) {
			break
		}
		count := 0
		for i := range 6 {
			count |= bit(first-6+i) << i
		}
		if count+1 == n {
			found = make([]bool, n)
			for i := range found {
				found[i] = bit(first+i*mode) == 1
			}
		}
	}
	return found
}

// plainMode reports whether a mode's window and transform are the only ones there are.
func plainMode(bit func(int) int, at int) bool {
	for i := at + 1; i < at+33; i++ {
		if bit(i) != 0 {
			return false
		}
	}
	return true
}

// count reads the mode in a packet's first bits: a block plays a quarter of its length
// and of that of the block before.
func (v *vorbis) count(p []byte) (samples, rate int) {
	if len(p) == 0 || p[0]&1 != 0 {
		return 0, 0
	}
	size := v.block[1]
	if len(v.long) > 0 {
		mode := int(p[0]>>1) & (1<<bits.Len(uint(len(v.long)-1)) - 1)
		if mode < len(v.long) && !v.long[mode] {
			size = v.block[0]
		}
	}
	last := v.last
	if v.last = size; last == 0 {
		last = size
	}
	return (last + size) / 4, v.rate
}
