package verify

// maxSliceHead bounds how much of a slice is read, in bytes: its header's fields of
// interest are well within.
const maxSliceHead = 48

// avcPPS is an H.264 picture parameter set as far as it matters here.
type avcPPS struct {
	ID, SPS uint
	// bottomOrder: frames carry the order of their bottom field too; redundant: slices
	// say whether they are a repetition.
	bottomOrder, redundant bool
}

// ReadAVCPPS parses a picture parameter set after its NAL header. Slice groups are
// refused: no decoder in use knows them.
func ReadAVCPPS(payload []byte) (p avcPPS, ok bool) {
	r := NewBits(payload, MaxParameters)
	p.ID, p.SPS = r.UE(), r.UE()
	r.Skip(1)
	p.bottomOrder = r.Flag()
	if r.UE() != 0 {
		return avcPPS{}, false
	}
	r.UE()
	r.UE()
	r.Skip(3) // weighted prediction
	r.SE()
	r.SE()
	r.SE()
	r.Skip(2)
	p.redundant = r.Flag()
	return p, p.ID < 256 && p.SPS < 32 && !r.Over()
}

// ppsOfAVCSlice returns the number of the picture parameter set that a slice names.
func ppsOfAVCSlice(payload []byte) (id uint, ok bool) {
	r := NewBits(payload, maxSliceHead)
	r.UE()
	r.UE()
	id = r.UE()
	return id, id < 256 && !r.Over()
}

// AVCSlice is the beginning of an H.264 slice.
type AVCSlice struct {
	FirstMB uint
	IDR     bool
	// Reference: later pictures may be predicted from it.
	Reference bool
	// Intra: nothing in the slice is predicted from other pictures.
	Intra         bool
	PPS           uint
	FrameNum      uint
	FrameNumBits  int
	Field, Bottom bool
	IDRPic        uint
	// Order is the low part of the place in the order of presentation, OrderBits how
	// many bits that has, 0 when the stream does not tell.
	Order     uint
	OrderBits int
	Delta     [2]int
	// Redundant slices repeat others.
	Redundant bool
}

// NAL types of H.264.
const (
	avcSliceType = 1
	avcIDRType   = 5
	avcSEIType   = 6
	avcSPSType   = 7
	avcPPSType   = 8
	avcAUDType   = 9
)

// ReadAVCSlice parses the beginning of a slice; header is the NAL header's byte.
func ReadAVCSlice(header byte, payload []byte, sps *avcSPS, pps *avcPPS) (s AVCSlice, ok bool) {
	r := NewBits(payload, maxSliceHead)
	s.IDR, s.Reference = header&0x1f == avcIDRType, header>>5&3 != 0
	s.FirstMB = r.UE()
	kind := r.UE()
	s.Intra = kind%5 == 2 || kind%5 == 4
	s.PPS = r.UE()
	if sps.separate {
		r.Skip(2)
	}
	s.FrameNum, s.FrameNumBits = r.U(sps.frameNumBits), sps.frameNumBits
	if !sps.frameOnly {
		if s.Field = r.Flag(); s.Field {
			s.Bottom = r.Flag()
		}
	}
	if s.IDR {
		s.IDRPic = r.UE()
	}
	switch {
	case sps.pocType == 0:
		s.Order, s.OrderBits = r.U(sps.pocBits), sps.pocBits
		if pps.bottomOrder && !s.Field {
			s.Delta[0] = r.SE()
		}
	case sps.pocType == 1 && !sps.deltaZero:
		s.Delta[0] = r.SE()
		if pps.bottomOrder && !s.Field {
			s.Delta[1] = r.SE()
		}
	}
	if pps.redundant {
		s.Redundant = r.UE() > 0
	}
	return s, kind < 10 && s.FirstMB < maxSide*maxSide/256 && !r.Over()
}

// SamePicture reports whether two slices without redundant ones between them may
// belong to one coded picture, by what they say of it.
func (s *AVCSlice) SamePicture(o *AVCSlice) bool {
	return s.FrameNum == o.FrameNum && s.PPS == o.PPS && s.Field == o.Field && s.Bottom == o.Bottom &&
		s.Reference == o.Reference && s.IDR == o.IDR && s.IDRPic == o.IDRPic && s.Order == o.Order && s.Delta == o.Delta
}

// Before reports whether a picture is shown before another one that is not far from
// it; false where the stream does not tell.
func (s *AVCSlice) Before(o *AVCSlice) bool {
	if s.OrderBits == 0 || s.OrderBits != o.OrderBits {
		return false
	}
	half := uint(1) << (s.OrderBits - 1)
	return s.Order != o.Order && (o.Order-s.Order)&(2*half-1) < half
}

// RecoveryPoint reads a message unit (SEI) that says that decoding can begin at the
// next picture, and that what is shown is right from so many frames later on.
func RecoveryPoint(payload []byte) (frames uint, ok bool) {
	const recoveryPoint, maxMessages = 6, 64
	r := NewBits(payload, MaxParameters)
	for range maxMessages {
		kind, size := r.message(), r.message()
		if r.Over() {
			return 0, false
		}
		if kind == recoveryPoint {
			frames = r.UE()
			return frames, frames < 1<<16 && !r.Over()
		}
		r.Skip(8 * int(size))
	}
	return 0, false
}

// message returns a number as messages write it: bytes of 255 and a last one.
func (r *Bits) message() uint {
	var n uint
	for !r.Over() {
		b := r.U(8)
		n += b
		if b != 255 {
			break
		}
	}
	return n
}
