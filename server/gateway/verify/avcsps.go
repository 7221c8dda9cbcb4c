package verify

// MaxParameters bounds how much of a parameter set is read, in bytes.
const MaxParameters = 1024

// maxSide bounds width and height, in pixels.
const maxSide = 1 << 15

// avcSPS is an H.264 sequence parameter set as far as it matters here.
type avcSPS struct {
	ID            uint
	Width, Height int
	// FPS is the declared frame rate, 0 when there is none.
	FPS float64
	// Chroma is 0 for gray, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4; Depth is in bits.
	Chroma, Depth uint

	separate     bool // color planes are coded apart
	frameNumBits int
	pocType      uint
	pocBits      int
	deltaZero    bool // pictures carry no order differences
	frameOnly    bool // there are no fields
}

// Interlaceable reports whether pictures may hold two fields of different times.
func (s *avcSPS) Interlaceable() bool { return !s.frameOnly }

// highProfiles have chroma and depth fields. Read-only.
var highProfiles = map[uint]bool{100: true, 110: true, 122: true, 244: true, 44: true, 83: true, 86: true, 118: true,
	128: true, 138: true, 139: true, 134: true, 135: true}

// ReadAVCSPS parses a sequence parameter set after its NAL header.
func ReadAVCSPS(payload []byte) (s avcSPS, ok bool) {
	r := NewBits(payload, MaxParameters)
	profile := r.U(8)
	r.Skip(16) // constraints, level
	s.ID = r.UE()
	s.Chroma, s.Depth = 1, 8
	if highProfiles[profile] {
		s.high(&r)
	}
	s.frameNumBits = int(r.UE()) + 4
	if !s.order(&r) {
		return avcSPS{}, false
	}
	r.UE() // reference frames
	r.Skip(1)
	if !s.size(&r) {
		return avcSPS{}, false
	}
	s.FPS = vuiRate(&r)
	return s, s.ID < 32 && s.frameNumBits <= 16 && s.pocBits <= 16 && s.Depth <= 14
}

// high reads what only the high profiles have.
func (s *avcSPS) high(r *Bits) {
	if s.Chroma = r.UE(); s.Chroma == 3 {
		s.separate = r.Flag()
	}
	s.Depth = 8 + r.UE()
	r.UE() // chroma depth
	r.Skip(1)
	if !r.Flag() {
		return
	}
	lists := 8
	if s.Chroma == 3 {
		lists = 12
	}
	for l := range lists {
		if r.Flag() {
			scalingList(r, l)
		}
	}
}

func scalingList(r *Bits, list int) {
	size := 16
	if list >= 6 {
		size = 64
	}
	last, next := 8, 8
	for range size {
		if next != 0 {
			next = (last + r.SE() + 256) & 255
		}
		if next != 0 {
			last = next
		}
	}
}

// order reads how pictures tell their place in the order of presentation.
func (s *avcSPS) order(r *Bits) bool {
	switch s.pocType = r.UE(); s.pocType {
	case 0:
		s.pocBits = int(r.UE()) + 4
	case 1:
		s.deltaZero = r.Flag()
		r.SE()
		r.SE()
		for n := r.UE(); n > 0 && !r.Over(); n-- {
			r.SE()
		}
	case 2:
	default:
		return false
	}
	return !r.Over()
}

// size reads the picture's size, cropping included.
func (s *avcSPS) size(r *Bits) bool {
	widthMBs, heightUnits := r.UE()+1, r.UE()+1
	if s.frameOnly = r.Flag(); !s.frameOnly {
		r.Skip(1)
	}
	r.Skip(1)
	var left, right, top, bottom uint
	if r.Flag() {
		left, right, top, bottom = r.UE(), r.UE(), r.UE(), r.UE()
	}
	fields := uint(2)
	if s.frameOnly {
		fields = 1
	}
	stepX, stepY := uint(1), fields
	if !s.separate && (s.Chroma == 1 || s.Chroma == 2) {
		stepX = 2
	}
	if !s.separate && s.Chroma == 1 {
		stepY *= 2
	}
	if r.Over() || widthMBs > maxSide/16 || heightUnits > maxSide/16 || max(left, right, top, bottom) > maxSide {
		return false
	}
	s.Width = int(widthMBs*16) - int((left+right)*stepX)
	s.Height = int(fields*heightUnits*16) - int((top+bottom)*stepY)
	return s.Width > 0 && s.Height > 0 && s.Height <= maxSide
}

// vuiRate returns the frame rate of the usability information, 0 when there is none.
func vuiRate(r *Bits) float64 {
	if !r.Flag() {
		return 0
	}
	const extended = 255
	if r.Flag() && r.U(8) == extended { // aspect ratio
		r.Skip(32)
	}
	if r.Flag() { // overscan
		r.Skip(1)
	}
	if r.Flag() { // signal type
		r.Skip(4)
		if r.Flag() {
			r.Skip(24)
		}
	}
	if r.Flag() { // chroma location
		r.UE()
		r.UE()
	}
	if !r.Flag() {
		return 0
	}
	units, scale := r.U(32), r.U(32)
	if r.Over() || units == 0 {
		return 0
	}
	if fps := float64(scale) / float64(units) / 2; fps > 0.1 && fps < 1000 {
		return fps
	}
	return 0
}
