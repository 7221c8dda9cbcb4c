package mediafile

// PrependPSI returns a segment whose PAT and PMT come before its media. Where a packet of a
// stream precedes them, the first PAT and PMT are repeated at the front: a demuxer stops
// looking for them after some megabytes, and guesses the streams that it reads before them.
// Other segments are returned unchanged; data itself is never modified.
func PrependPSI(data []byte) []byte {
	if len(data) < packetSize || data[0] != syncByte {
		return data
	}
	var t psi
	for at := 0; at+packetSize <= len(data) && data[at] == syncByte && !t.whole(); at += packetSize {
		t.take(data, at)
	}
	if !t.late || !t.whole() {
		return data
	}
	front := make([]byte, 0, (1+len(t.pmt))*packetSize+len(data))
	for _, at := range append([]int{t.pat}, t.pmt...) {
		front = append(front, data[at:at+packetSize]...)
	}
	return append(front, data...)
}

// maxPMTPackets is more than the largest section of a PMT takes.
const maxPMTPackets = 8

// psi finds a file's first PAT and PMT.
type psi struct {
	pmtPID int // of the PMT, once the PAT was read
	// pat is the offset of the PAT's packet, pmt the offsets of the PMT's.
	pat int
	pmt []int
	// missing is how many bytes of the PMT's section have not come.
	missing int
	// late: media came before the tables.
	late bool
}

func (t *psi) whole() bool { return len(t.pmt) > 0 && t.missing <= 0 }

func (t *psi) take(data []byte, at int) {
	p := parsePacket(data, at)
	switch {
	case p.from >= p.to:
	case p.pid == 0 && t.pmtPID == 0:
		if pid := firstPMTPID(section(data, p, 0)); pid != noPID {
			t.pmtPID, t.pat = pid, at
		}
	case p.pid == t.pmtPID && t.pmtPID != 0:
		t.takePMT(data, p, at)
	case p.unitStart && beginsPES(data[p.from:p.to]):
		t.late = true
	}
}

// takePMT takes a packet of the PMT, which may need several.
func (t *psi) takePMT(data []byte, p packet, at int) {
	if !p.unitStart {
		if len(t.pmt) > 0 && len(t.pmt) < maxPMTPackets {
			t.pmt, t.missing = append(t.pmt, at), t.missing-(p.to-p.from)
		}
		return
	}
	from := p.from + 1 + int(data[p.from])
	if t.pmt = nil; from+3 > p.to || data[from] != 2 {
		return
	}
	length := 3 + (int(data[from+1]&0x0f)<<8 | int(data[from+2]))
	t.pmt, t.missing = []int{at}, length-(p.to-from)
}

func beginsPES(b []byte) bool { return len(b) > 3 && b[0] == 0 && b[1] == 0 && b[2] == 1 }
