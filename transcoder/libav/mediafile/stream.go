package mediafile

import "iter"

// Sizes and identifiers of MPEG-TS.
const (
	packetSize = 188
	syncByte   = 0x47
	typeH264   = 0x1b
	noPID      = -1
)

// chunk is a run of elementary stream bytes inside the file.
type chunk struct{ from, to int }

// packet is one TS packet, located but not copied.
type packet struct {
	pid       int
	unitStart bool // PUSI: a PES packet or a section begins here
	from, to  int  // the payload's offsets in the file, from ≥ to when there is none
}

func parsePacket(data []byte, at int) packet {
	h := data[at : at+packetSize]
	p := packet{
		pid:       int(h[1]&0x1f)<<8 | int(h[2]),
		unitStart: h[1]&0x40 != 0,
		from:      at + 4,
		to:        at + packetSize,
	}
	if h[3]&0x20 != 0 {
		p.from += 1 + int(h[4])
	}
	if h[3]&0x10 == 0 {
		p.from = p.to
	}
	return p
}

// section returns the body of the PSI section that begins in a packet, without its
// header of eight bytes and its CRC; nil when there is no section with that table ID, or
// it does not end in the same packet.
func section(data []byte, p packet, table byte) []byte {
	if !p.unitStart || p.from >= p.to {
		return nil
	}
	from := p.from + 1 + int(data[p.from])
	if from+8 > p.to || data[from] != table {
		return nil
	}
	to := from + 3 + (int(data[from+1]&0x0f)<<8 | int(data[from+2])) - 4
	if to > p.to || to < from+8 {
		return nil
	}
	return data[from+8 : to]
}

// firstPMTPID returns the PID of the first program's PMT in a PAT.
func firstPMTPID(pat []byte) int {
	for ; len(pat) >= 4; pat = pat[4:] {
		if pat[0] != 0 || pat[1] != 0 {
			return int(pat[2]&0x1f)<<8 | int(pat[3])
		}
	}
	return noPID
}

// h264PID returns the PID of the first H.264 stream in a PMT.
func h264PID(pmt []byte) int {
	if len(pmt) < 4 {
		return noPID
	}
	skip := 4 + (int(pmt[2]&0x0f)<<8 | int(pmt[3]))
	if skip > len(pmt) {
		return noPID
	}
	for pmt = pmt[skip:]; len(pmt) >= 5; {
		if pmt[0] == typeH264 {
			return int(pmt[1]&0x1f)<<8 | int(pmt[2])
		}
		next := 5 + (int(pmt[3]&0x0f)<<8 | int(pmt[4]))
		if next > len(pmt) {
			break
		}
		pmt = pmt[next:]
	}
	return noPID
}

// videoChunks yields where the bytes of the file's first H.264 stream are.
func videoChunks(data []byte) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		pmtPID, videoPID, header := noPID, noPID, 0
		for at := 0; at+packetSize <= len(data) && data[at] == syncByte; at += packetSize {
			p := parsePacket(data, at)
			switch {
			case p.from >= p.to:
			case p.pid == 0 && pmtPID == noPID:
				pmtPID = firstPMTPID(section(data, p, 0))
			case p.pid == pmtPID && videoPID == noPID:
				videoPID = h264PID(section(data, p, 2))
			case p.pid == videoPID:
				if p.unitStart {
					header = pesHeader(data[p.from:p.to])
				}
				skip := min(header, p.to-p.from)
				header -= skip
				if p.from += skip; p.from < p.to && !yield(chunk{p.from, p.to}) {
					return
				}
			}
		}
	}
}

// pesHeader returns the length of the PES header at the start of b, 0 where b is shorter
// than nine bytes or begins no PES packet.
func pesHeader(b []byte) int {
	if len(b) < 9 || b[0] != 0 || b[1] != 0 || b[2] != 1 {
		return 0
	}
	return 9 + int(b[8])
}
