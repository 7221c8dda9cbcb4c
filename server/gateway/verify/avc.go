package verify

// avc counts the frames of an H.264 stream.
type avc struct {
	sps [32]*avcSPS
	pps [256]*avcPPS

	last    AVCSlice
	any     bool // a slice was seen
	divided bool // a NAL unit that only occurs between frames came after it

	// waiting: the last frame was a field whose partner may follow.
	waiting bool
	start   start

	v Video
}

func (a *avc) video() Video {
	a.v.Codec = "h264"
	return a.v
}

func (a *avc) begin() { a.divided = true }

func (a *avc) unit(nal []byte) {
	if len(nal) < 2 {
		return
	}
	payload := nal[1:]
	switch nal[0] & 0x1f {
	case avcSliceType, avcIDRType:
		a.slice(nal[0], payload)
	case avcSPSType:
		a.divided = true
		if s, ok := ReadAVCSPS(payload); ok {
			a.sps[s.ID] = &s
		}
	case avcPPSType:
		a.divided = true
		if p, ok := ReadAVCPPS(payload); ok {
			a.pps[p.ID] = &p
		}
	case avcSEIType:
		a.divided = true
		if n, ok := RecoveryPoint(payload); ok {
			a.start.announce(n)
		}
	case avcAUDType:
		a.divided = true
	}
}

func (a *avc) slice(header byte, payload []byte) {
	id, ok := ppsOfAVCSlice(payload)
	if !ok || a.pps[id] == nil || a.sps[a.pps[id].SPS] == nil {
		return // no decoder can do anything with it
	}
	pps := a.pps[id]
	sps := a.sps[pps.SPS]
	s, ok := ReadAVCSlice(header, payload, sps, pps)
	if !ok || s.Redundant {
		return
	}
	another := !a.any || a.divided || s.FirstMB <= a.last.FirstMB || !s.SamePicture(&a.last)
	before := a.last
	a.last, a.any, a.divided = s, true, false
	if another {
		a.frame(&s, &before, sps)
	}
}

// frame takes the first slice of a frame; before is that of the previous frame.
func (a *avc) frame(s, before *AVCSlice, sps *avcSPS) {
	if a.waiting && s.Field && s.Bottom != before.Bottom && s.FrameNum == before.FrameNum && (!s.IDR || before.IDR) {
		a.waiting = false // the frame is counted already
		a.v.Most++
		return
	}
	a.waiting = s.Field
	a.v.Most++
	if !s.Field && sps.Interlaceable() {
		a.v.Most++
	}
	a.start.frame(s, func() { a.v.frame(sps.Width, sps.Height) })
}
