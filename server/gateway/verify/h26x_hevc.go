package verify

// hevcSPS is an HEVC sequence parameter set as far as it matters here.
type hevcSPS struct {
	ID            uint
	Width, Height int
	// General is what a decoder must be able to do: profile, compatibility and
	// constraint flags and level, as the set has them.
	General [hevcGeneralBytes]byte
}

// hevcGeneralBytes is the size of the general part of profile, tier and level.
const hevcGeneralBytes = 12

// NAL types of HEVC.
const (
	hevcRASLN     = 8
	hevcRASLR     = 9
	hevcFirstIRAP = 16
	hevcBLALast   = 18
	hevcIDRW      = 19
	hevcIDRN      = 20
	hevcCRA       = 21
	hevcLastIRAP  = 23
	hevcLastSlice = 31
	hevcSPSType   = 33
	hevcPPSType   = 34
	hevcEOSType   = 36
	hevcEOBType   = 37
)

// ReadHEVCSPS parses a sequence parameter set after its two bytes of NAL header.
func ReadHEVCSPS(payload []byte) (s hevcSPS, ok bool) {
	r := NewBits(payload, MaxParameters)
	r.Skip(4)
	layers := int(r.U(3))
	r.Skip(1)
	for i := range s.General {
		s.General[i] = byte(r.U(8))
	}
	skipLayers(&r, layers)
	s.ID = r.UE()
	chroma := r.UE()
	separate := chroma == 3 && r.Flag()
	width, height := r.UE(), r.UE()
	var left, right, top, bottom uint
	if r.Flag() {
		left, right, top, bottom = r.UE(), r.UE(), r.UE(), r.UE()
	}
	if r.Over() || s.ID >= 16 || chroma > 3 || max(width, height, left, right, top, bottom) > maxSide {
		return hevcSPS{}, false
	}
	stepX, stepY := uint(1), uint(1)
	if !separate && (chroma == 1 || chroma == 2) {
		stepX = 2
	}
	if !separate && chroma == 1 {
		stepY = 2
	}
	s.Width, s.Height = int(width)-int((left+right)*stepX), int(height)-int((top+bottom)*stepY)
	return s, s.Width > 0 && s.Height > 0
}

// skipLayers passes over what a decoder of fewer layers must be able to do.
func skipLayers(r *Bits, layers int) {
	const profile, level = 88, 8
	var skip int
	for range layers {
		if r.Flag() {
			skip += profile
		}
		if r.Flag() {
			skip += level
		}
	}
	if layers > 0 {
		r.Skip(2 * (8 - layers))
	}
	r.Skip(skip)
}

// HEVCPPS is an HEVC picture parameter set as far as it matters here.
type HEVCPPS struct {
	ID, SPS uint
	// output: slices say whether their picture is shown; extra is the number of bits
	// before that.
	output bool
	extra  int
}

// ReadHEVCPPS parses a picture parameter set after its two bytes of NAL header.
func ReadHEVCPPS(payload []byte) (p HEVCPPS, ok bool) {
	r := NewBits(payload, MaxParameters)
	p.ID, p.SPS = r.UE(), r.UE()
	r.Skip(1)
	p.output = r.Flag()
	p.extra = int(r.U(3))
	return p, p.ID < 64 && p.SPS < 16 && !r.Over()
}

// hevcSlice is the beginning of an HEVC slice segment.
type hevcSlice struct {
	// First: it begins a picture. What follows is known only then.
	First bool
	PPS   uint
	// Hidden pictures are decoded and not shown.
	Hidden bool
}

// ReadHEVCSlice parses the beginning of a slice segment of a NAL type. pps finds a
// parameter set, nil when there is none.
func ReadHEVCSlice(kind byte, payload []byte, pps func(id uint) *HEVCPPS) (s hevcSlice, ok bool) {
	r := NewBits(payload, maxSliceHead)
	s.First = r.Flag()
	if kind >= hevcFirstIRAP && kind <= hevcLastIRAP {
		r.Skip(1)
	}
	s.PPS = r.UE()
	if !s.First {
		return s, !r.Over()
	}
	p := pps(s.PPS)
	if p == nil {
		return s, false
	}
	r.Skip(p.extra)
	r.UE() // slice type
	if p.output {
		s.Hidden = !r.Flag()
	}
	return s, !r.Over()
}
