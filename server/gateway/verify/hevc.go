package verify

// hevc counts the frames of an HEVC stream.
type hevc struct {
	sps [16]*hevcSPS
	pps [64]*HEVCPPS

	// begun: a random access picture came. skipping: the leading pictures that refer
	// to pictures before it cannot be decoded.
	begun, skipping bool
	v               Video
}

func (h *hevc) video() Video {
	h.v.Codec = "hevc"
	return h.v
}

func (h *hevc) begin() {}

func (h *hevc) unit(nal []byte) {
	if len(nal) < 3 || nal[0]&1 != 0 || nal[1]>>3 != 0 {
		return // further layers are optional
	}
	kind, payload := nal[0]>>1&0x3f, nal[2:]
	switch kind {
	case hevcSPSType:
		if s, ok := ReadHEVCSPS(payload); ok {
			h.sps[s.ID] = &s
		}
	case hevcPPSType:
		if p, ok := ReadHEVCPPS(payload); ok {
			h.pps[p.ID] = &p
		}
	case hevcEOSType, hevcEOBType:
		h.begun = false
	default:
		if kind <= hevcLastSlice {
			h.slice(kind, payload)
		}
	}
}

func (h *hevc) slice(kind byte, payload []byte) {
	s, ok := ReadHEVCSlice(kind, payload, func(id uint) *HEVCPPS {
		if id >= uint(len(h.pps)) {
			return nil
		}
		return h.pps[id]
	})
	if !ok || !s.First {
		return
	}
	sps := h.sps[h.pps[s.PPS].SPS]
	if sps == nil {
		return
	}
	h.v.Most++
	if !h.decodable(kind) || s.Hidden {
		return
	}
	h.v.frame(sps.Width, sps.Height)
}

// decodable reports whether a decoder that starts at the first byte can decode a
// frame of a NAL type.
func (h *hevc) decodable(kind byte) bool {
	switch {
	case kind >= hevcFirstIRAP && kind <= hevcLastIRAP:
		h.skipping = kind <= hevcBLALast || kind == hevcCRA && !h.begun
		h.begun = true
		return true
	case kind == hevcRASLN || kind == hevcRASLR:
		return h.begun && !h.skipping
	}
	return h.begun
}
