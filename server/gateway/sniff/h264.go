package sniff

import (
	"bytes"
	"fmt"
)

var startCode = []byte{0, 0, 1}

// nalBytes is the first NAL unit, in start code form, whose first byte is wanted.
func nalBytes(b []byte, wanted func(header byte) bool) string {
	for {
		i := bytes.Index(b, startCode)
		if i < 0 || i+3 >= len(b) {
			return ""
		}
		b = b[i+3:]
		if !wanted(b[0]) {
			continue
		}
		unit := b
		if end := bytes.Index(b, startCode); end >= 0 {
			unit = b[:end]
		}
		return string(bytes.TrimRight(unit[:min(len(unit), maxParameters)], "\x00"))
	}
}

// maxParameters bounds what is kept of a parameter set.
const maxParameters = 256

// h264Stream fills in what the stream's first sequence parameter set says and
// returns the codec as playlists write it.
func h264Stream(b []byte, i *Info) string {
	return h264Parameters(nalBytes(b, func(h byte) bool { return h&0x1f == 7 }), i)
}

func h264Parameters(sps string, i *Info) string {
	if len(sps) < 4 {
		return ""
	}
	i.Parameters = sps
	codec := fmt.Sprintf("avc1.%02x%02x%02x", sps[1], sps[2], sps[3])
	if s, ok := readSPS([]byte(sps[1:])); ok {
		i.Width, i.Height, i.FPS, i.PixelFormat = s.width, s.height, s.fps, s.pixelFormat()
	}
	return codec
}

// sps is the part of a sequence parameter set that matters here.
type sps struct {
	width, height int
	fps           float64
	chroma, depth uint
}

func (s sps) pixelFormat() string {
	name := map[uint]string{0: "gray", 1: "yuv420p", 2: "yuv422p", 3: "yuv444p"}[s.chroma]
	if name != "" && s.depth > 8 {
		name += fmt.Sprintf("%dle", s.depth)
	}
	return name
}

// highProfiles have chroma and depth fields.
var highProfiles = map[uint]bool{100: true, 110: true, 122: true, 244: true, 44: true, 83: true, 86: true, 118: true, 128: true, 138: true, 139: true, 134: true, 135: true}

// readSPS parses a sequence parameter set after its NAL header, emulation
// prevention still in it.
func readSPS(raw []byte) (s sps, ok bool) {
	r := &bits{b: bytes.ReplaceAll(raw, []byte{0, 0, 3}, []byte{0, 0})}
	profile := r.u(8)
	r.u(16) // constraints, level
	r.ue()  // id
	s.chroma, s.depth = 1, 8
	separate := false
	if highProfiles[profile] {
		if s.chroma = r.ue(); s.chroma == 3 {
			separate = r.u(1) == 1
		}
		s.depth = 8 + r.ue()
		r.ue() // chroma depth
		r.u(1)
		if r.u(1) == 1 {
			r.scalingLists(s.chroma)
		}
	}
	r.ue() // log2_max_frame_num
	switch r.ue() {
	case 0:
		r.ue()
	case 1:
		r.u(1)
		r.se()
		r.se()
		for n := r.ue(); n > 0 && !r.over(); n-- {
			r.se()
		}
	}
	r.ue() // reference frames
	r.u(1)
	widthMBs, heightUnits := r.ue()+1, r.ue()+1
	frameOnly := r.u(1)
	if frameOnly == 0 {
		r.u(1)
	}
	r.u(1)
	var left, right, top, bottom uint
	if r.u(1) == 1 {
		left, right, top, bottom = r.ue(), r.ue(), r.ue(), r.ue()
	}
	stepX, stepY := uint(1), 2-frameOnly
	if !separate && (s.chroma == 1 || s.chroma == 2) {
		stepX = 2
	}
	if !separate && s.chroma == 1 {
		stepY *= 2
	}
	const most = 1 << 15
	if r.over() || widthMBs > most/16 || heightUnits > most/16 || max(left, right, top, bottom) > most {
		return sps{}, false
	}
	s.width = int(widthMBs*16) - int((left+right)*stepX)
	s.height = int((2-frameOnly)*heightUnits*16) - int((top+bottom)*stepY)
	s.fps = r.vuiRate()
	return s, s.width > 0 && s.height > 0 && s.depth <= 14
}

// vuiRate is the frame rate of the usability information, 0 when there is none.
func (r *bits) vuiRate() float64 {
	if r.u(1) == 0 {
		return 0
	}
	if r.u(1) == 1 { // aspect ratio
		if r.u(8) == 255 {
			r.u(32)
		}
	}
	if r.u(1) == 1 { // overscan
		r.u(1)
	}
	if r.u(1) == 1 { // signal type
		r.u(4)
		if r.u(1) == 1 {
			r.u(24)
		}
	}
	if r.u(1) == 1 { // chroma location
		r.ue()
		r.ue()
	}
	if r.u(1) == 0 {
		return 0
	}
	units, scale := r.u(32), r.u(32)
	if r.over() || units == 0 {
		return 0
	}
	if fps := float64(scale) / float64(units) / 2; fps > 0.1 && fps < 1000 {
		return fps
	}
	return 0
}

func (r *bits) scalingLists(chroma uint) {
	lists := 8
	if chroma == 3 {
		lists = 12
	}
	for l := range lists {
		if r.u(1) == 0 {
			continue
		}
		size := 16
		if l >= 6 {
			size = 64
		}
		last, next := 8, 8
		for range size {
			if next != 0 {
				next = (last + r.se() + 256) & 255
			}
			if next != 0 {
				last = next
			}
		}
	}
}

// bits reads a bit stream. Reads past the end give zeros and over.
type bits struct {
	b   []byte
	pos int
	bad bool
}

func (r *bits) over() bool { return r.bad || r.pos > 8*len(r.b) }

func (r *bits) u(n int) uint {
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

// ue is an unsigned Exp-Golomb code.
func (r *bits) ue() uint {
	zeros := 0
	for r.u(1) == 0 {
		if zeros++; zeros > 31 || r.over() {
			r.bad = true
			return 0
		}
	}
	return 1<<zeros - 1 + r.u(zeros)
}

// se is a signed one.
func (r *bits) se() int {
	k := int(r.ue())
	if k%2 == 1 {
		return k/2 + 1
	}
	return -k / 2
}
